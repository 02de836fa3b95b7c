// Package bigquery is the backend of BigQuery, over its REST API. It reads only.
//
// A root field is one query job. BigQuery refuses sub-selects that read the rows around them unless it can make
// joins of them, so related rows are aggregated by their keys in sub-selects that read nothing around them, and
// joined. Parameters are named and typed. Rows come as JSON, whose texts become the answer's with no Go
// values in between: numbers stay texts, as BigQuery writes them.
package bigquery
