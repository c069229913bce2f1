// Empty stand-in for CUDA's header: no kernel uses its declarations.
