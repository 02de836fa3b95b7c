// Package plan turns an operation into IR.
//
// It reads the role's schema and the values of the variables and nothing else: no
// database, no session, no clock, no logger. Equal input gives equal IR. Permission
// filters and limits are merged here, so every later stage may trust that the IR is what
// the role is allowed to do.
//
// A plan outlives its request. Values of variables that only end up as operands are not
// part of it: they become ir.Variable, whose texts package input makes for each request. What
// else was looked at of the variables is written down in Plan.Looks; two requests that agree in
// it share the plan.
package plan
