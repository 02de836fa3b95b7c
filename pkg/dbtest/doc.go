// Package dbtest gives tests a real PostgreSQL: an empty database for each test.
//
// The server is, in this order: the one that ENGINE_TEST_POSTGRES_URL names, so that one
// server serves a whole run of all packages (make test sets it); a container, where a
// Docker daemon answers; a private server from local binaries. There is one server per test
// binary, started when the first test asks. A test that can't get one fails; it is never
// skipped. LogicalURL is on a second server of the test binary, whose log can be read. A package that
// uses one of them has
//
//	func TestMain(m *testing.M) { dbtest.Main(m) }
package dbtest
