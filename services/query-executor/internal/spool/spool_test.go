package spool

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"queryengine/pkg/apierror"
)

// reader takes as much as it is allowed to.
type reader struct {
	allowed chan struct{} // closed: all of it
	bytes.Buffer
	err error
}

func (r *reader) Write(p []byte) (int, error) {
	<-r.allowed
	if r.err != nil {
		return 0, r.err
	}
	return r.Buffer.Write(p)
}

// pieces are n different pieces of half a window.
func pieces(n int) [][]byte {
	list := make([][]byte, n)
	for i := range list {
		list[i] = bytes.Repeat([]byte{byte('a' + i)}, window/2)
	}
	return list
}

const long = time.Minute

func TestWhatAReaderIsBehindByIsKeptInOrder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]Config{
		"in memory": {Memory: 100 * window, Answers: 1},
		"in a file": {Disk: 100 * window, Answers: 1},
		"in both":   {Memory: 2 * window, Disk: 100 * window, Answers: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.Dir = t.TempDir()
			s := New(c)
			r := &reader{allowed: make(chan struct{})}
			w := s.Writer(t.Context(), r)
			list := pieces(20)
			w.Hold(true)
			for _, p := range list {
				n, err := w.Write(p)
				require.NoError(t, err)
				require.Equal(t, len(p), n)
			}
			w.Hold(false)
			memory, disk := s.Kept()
			require.EqualValues(t, 18*window/2, memory+disk, "all but a window")
			require.LessOrEqual(t, memory, c.Memory)
			close(r.allowed)
			_, err := w.Write([]byte("end"))
			require.NoError(t, err)
			require.NoError(t, w.Close(nil))
			require.True(t, bytes.Equal(append(bytes.Join(list, nil), "end"...), r.Bytes()))
			memory, disk = s.Kept()
			require.Zero(t, memory+disk)
			require.Zero(t, s.behind.Load())
		})
	}
}

func TestAnAnswerWithoutRoomIsCutOff(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]Config{
		"no room":                   {Memory: window, Disk: window, Answers: 1},
		"too many that are behind":  {Memory: 100 * window, Answers: 0},
		"no place for a file":       {Disk: 100 * window, Answers: 1, Dir: "/does/not/exist"},
		"no room after some waited": {Memory: window, Answers: 1, Patience: time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.Dir == "" {
				c.Dir = t.TempDir()
			}
			s := New(c)
			r := &reader{allowed: make(chan struct{})}
			w := s.Writer(t.Context(), r)
			w.Hold(true)
			var err error
			for _, p := range pieces(20) {
				if _, err = w.Write(p); err != nil {
					break
				}
			}
			require.Equal(t, apierror.Busy, apierror.From(err).Code)
			close(r.allowed)
			require.ErrorIs(t, w.Close(err), err)
			memory, disk := s.Kept()
			require.Zero(t, memory+disk)
			require.Zero(t, s.behind.Load())
		})
	}
}

func TestAReaderThatKeepsUpIsWaitedFor(t *testing.T) {
	t.Parallel()
	s := New(Config{Patience: long}) // there is no space at all
	r := &reader{allowed: make(chan struct{})}
	close(r.allowed)
	w := s.Writer(t.Context(), r)
	w.Hold(true)
	list := pieces(20)
	for _, p := range list {
		_, err := w.Write(p)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close(nil))
	require.True(t, bytes.Equal(bytes.Join(list, nil), r.Bytes()))
}

func TestTheErrorOfAReaderEndsTheAnswer(t *testing.T) {
	t.Parallel()
	gone := errors.New("gone")
	s := New(Config{Memory: 100 * window, Answers: 1, Patience: long})
	r := &reader{allowed: make(chan struct{}), err: gone}
	close(r.allowed)
	w := s.Writer(t.Context(), r)
	w.Hold(true)
	var err error
	for err == nil {
		_, err = w.Write(pieces(1)[0])
	}
	require.ErrorIs(t, err, gone)
	require.ErrorIs(t, w.Close(err), gone)
}

func TestARequestThatEndsIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := New(Config{Patience: long})
	r := &reader{allowed: make(chan struct{})}
	w := s.Writer(ctx, r)
	w.Hold(true)
	list := pieces(3)
	for _, p := range list[:2] { // a window
		_, err := w.Write(p)
		require.NoError(t, err)
	}
	cancel()
	_, err := w.Write(list[2])
	require.ErrorIs(t, err, context.Canceled)
	close(r.allowed)
	require.ErrorIs(t, w.Close(err), context.Canceled)
}

func TestWhatIsWrittenWhileNothingIsHeldGoesStraightOn(t *testing.T) {
	t.Parallel()
	s := New(Config{})
	r := &reader{allowed: make(chan struct{})}
	close(r.allowed)
	w := s.Writer(t.Context(), r)
	_, err := w.Write(pieces(1)[0])
	require.NoError(t, err)
	require.Nil(t, w.pump)
	require.NoError(t, w.Close(nil))
}
