// Reads statements of T-SQL as a JSON list and writes the fault of each, null for none.
import { parse } from '@polyglot-sql/sdk'
import { readFileSync } from 'node:fs'

const faults = JSON.parse(readFileSync(0, 'utf8')).map((text) => {
  const read = parse(text, 'tsql')
  return read.success ? null : read.error
})
process.stdout.write(JSON.stringify(faults))
