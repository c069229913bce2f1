//go:build !race

package parallel

// spinRounds is the number of busy-wait iterations of a worker before it sleeps,
// about 0.2 ms. Waking 15 sleeping workers takes longer than a search level. With
// a tenth of this value, workers that finished a level early fell asleep, which
// more than halved the speed at scale 20 on 16 cores. An unbounded busy wait
// would take the processors from other processes of a shared machine.
const spinRounds = 400000
