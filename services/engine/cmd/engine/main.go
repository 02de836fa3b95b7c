// Command engine runs the services of Query Engine in one process.
package main

import "queryengine/services/engine"

func main() { engine.Main() }
