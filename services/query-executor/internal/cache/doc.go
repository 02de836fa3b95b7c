// Package cache keeps answers of queries with @cached for as long as they say.
//
// What an answer depends on is its Key: who asks, as far as the plan looks at it, and what is
// asked, as far as it can make a difference. The statements are part of it, so that an answer
// isn't found any more once a permission changed what the query would do.
//
// Entries are in a Store that all executors share. A Cache bounds what one executor writes to
// it, and how large an entry may be. Without a store there is no cache, and the directive has
// no effect.
package cache
