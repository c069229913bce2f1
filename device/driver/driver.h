// graph500_driver_bind loads libcuda.so.1 and looks up its entry points. It returns
// NULL, or the error message of the dynamic loader.
const char *graph500_driver_bind(void);

// graph500_driver_init calls cuInit(0) of the driver.
int graph500_driver_init(void);
