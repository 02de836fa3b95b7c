package bus

import "errors"

// ErrCutOff is in the chain of the error of a call whose answer broke off after a part of
// its body had been written: what the caller has must not pass for an answer. The reason
// is in the chain too, as an apierror.Error.
var ErrCutOff = errors.New("the answer was cut off")

// ErrForeignStream says that the stream of metadata changes belongs to another metadata
// database, or is not the one any more that was followed.
var ErrForeignStream = errors.New("the metadata stream belongs to another metadata database")

// ErrNoSnapshot says that no snapshot is stored.
var ErrNoSnapshot = errors.New("there is no metadata snapshot")
