// Package cache keeps answers of queries with @cached for the time that they ask for.
//
// An answer is found by its Key: the parts of the session that the plan looks at, and everything of the
// request that can make a difference. The statements are part of it, so that an answer isn't found any
// more once a permission has changed the query.
//
// Entries are in a Store that all executors share. A Cache bounds what one executor writes to
// it, and how large an entry may be. Without a store there is no cache, and the directive has
// no effect.
package cache
