// Package worklist schedules items on a team of workers without rounds or barriers.
// An item is processed as soon as a worker is free, and may push further items.
//
// Items are kept in chunks. A worker fills one chunk and drains another, which only
// it can see. A full chunk goes to a list that the workers of a group share; a group
// is the workers whose processors share a last-level cache. A worker without a chunk
// takes one from the list of its own group, then from other groups of its socket,
// then from the remaining groups.
//
// Items have integer priorities; smaller ones come first. Each priority has a bag of
// chunks of its own (OBIM, ordered by integer metric; Nguyen, Lenharth, Pingali,
// SOSP 2013). The order is a preference only: workers look for the first bag when
// they need a chunk, and items of one bag come in any order. An algorithm must
// therefore be correct for every order. A worklist with a single priority is a plain
// chunked bag.
//
// The package does not know what the items mean.
package worklist
