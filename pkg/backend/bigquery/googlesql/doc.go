// Package googlesql has the statements that the tests of the backend render analysed by the analyser of GoogleSQL: names,
// types, functions, and what the language allows. It is a module of its own, outside of the workspace: the analyser is as
// large as all other dependencies together.
package googlesql
