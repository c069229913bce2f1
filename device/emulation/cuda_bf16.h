// What CUDA declares in a header of this name no kernel uses.
