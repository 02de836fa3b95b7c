// Package join puts values that come from elsewhere into an answer: from another source, or
// from a service.
//
// It works on the bytes of the answer. They are read once, to find the places of the joins and
// the keys that the objects there hold; each join is then asked once, for all distinct keys
// together; and the answer is written with what came back in its places. What came back may
// hold joins of its own, so the number of questions depends on the depth of a query and never
// on the number of rows.
//
// Which server gets requests, and how, is the business of a Target.
package join

import (
	"context"

	"queryengine/pkg/apierror"
	"queryengine/pkg/backend"
	"queryengine/pkg/guard"
	"queryengine/pkg/jsontext"
	"queryengine/pkg/jsonwalk"
)

// Member is a member of the objects of an answer that has to do with joins. What isn't among
// the members stays as it is.
type Member struct {
	Key string
	// Below are the members of the object under the key, or of all objects in a list there.
	Below []Member
	// Join takes the place of the member's value, nil for none.
	Join *Join
	// As is the key that the joined value gets, when that isn't Key: objects of different types may
	// have different joins, or a join and a value, under the same key.
	As string
	// Hidden members hold parts of keys and are left out.
	Hidden bool
	// Whole reports whether what takes the place of the value takes that of the whole object.
	Whole bool
}

// Join is a value that comes from elsewhere.
type Join struct {
	// Parts is the number of the members that hold the key: the one that the join is part of, and
	// those that follow it. Without one of them the value is null, and the join asks no target.
	Parts int
	// Nulls reports whether keys with a null are requested as well; else their value is null.
	Nulls bool
	// Target is the target, by a number that Targets knows.
	Target int
	// Below are the joins in what comes back for a key.
	Below []Member
}

// Targets answer the questions of joins. It is safe for concurrent use.
type Targets interface {
	// Ask gets the JSON values for keys, one for each, in their order.
	Ask(ctx context.Context, target int, keys Keys) ([][]byte, error)
}

// Keys are distinct keys: tuples of JSON values.
type Keys struct {
	parts  int
	count  int
	values [][]byte
}

// Len is the number of keys. A key without parts is one, too.
func (k *Keys) Len() int { return k.count }

// Key is the i-th key.
func (k *Keys) Key(i int) [][]byte { return k.values[i*k.parts : (i+1)*k.parts] }

// slice are the keys from a to b.
func (k *Keys) slice(a, b int) Keys {
	return Keys{parts: k.parts, count: b - a, values: k.values[a*k.parts : b*k.parts]}
}

const (
	// maxKeys bounds the keys that a target is requested at once.
	maxKeys = 10_000
	// maxKeyBytes bounds their size, unless a single one is larger.
	maxKeyBytes = 8 << 20
	// maxQuestions bounds the concurrent questions for one answer.
	maxQuestions = 4
)

// Write writes an answer to out with its joins in place.
func Write(ctx context.Context, answer []byte, members []Member, t Targets, out *backend.Answer) error {
	l := level{targets: t, slots: make(chan struct{}, maxQuestions)}
	if err := l.read([][]byte{answer}, members); err != nil {
		return err
	}
	if err := l.ask(ctx); err != nil {
		return err
	}
	return l.write(0, out)
}

// level is one level of joins: those in texts that are there, whatever their depth in them.
type level struct {
	targets Targets
	// slots is a semaphore for concurrent questions.
	slots chan struct{}
	texts [][]byte
	asked []*question
	cuts  []cut
	// first is the index of the first cut of each text.
	first []int
}

// question is a join with the keys that it is requested.
type question struct {
	join    *Join
	keys    Keys
	ids     map[string]int
	answers [][]byte
}

// cut is a part of a text that is left out. The answer to a key takes its place, and null when
// there is no such key; nothing does when it is hidden.
type cut struct {
	start, end int
	question   *question
	key        int
	hidden     bool
	// as begins a member with another name than the one that is left out.
	as string
}

const noKey = -1

// read finds the joins in texts.
func (l *level) read(texts [][]byte, members []Member) error {
	l.texts = texts
	for _, text := range texts {
		l.first = append(l.first, len(l.cuts))
		r := reader{level: l, text: text, cursor: jsonwalk.NewCursor(text)}
		err := r.value(members)
		if err == nil {
			err = r.cursor.End()
		}
		if err != nil {
			return apierror.New(apierror.Unexpected, "an answer that is to be joined is malformed").WithInternal(err.Error())
		}
	}
	l.first = append(l.first, len(l.cuts))
	return nil
}

// question finds the question of a join.
func (l *level) question(j *Join) *question {
	for _, q := range l.asked {
		if q.join == j {
			return q
		}
	}
	q := &question{join: j, keys: Keys{parts: j.Parts}, ids: map[string]int{}}
	l.asked = append(l.asked, q)
	return q
}

// ask gets the answers to all questions. There are as many as joins in the query.
func (l *level) ask(ctx context.Context) error {
	if len(l.asked) == 1 {
		return l.answer(ctx, l.asked[0])
	}
	g, ctx := guard.WithContext(ctx)
	for _, q := range l.asked {
		g.Go(func() error { return l.answer(ctx, q) })
	}
	return g.Wait()
}

// answer asks for the keys of a question, and joins what is below the answers.
func (l *level) answer(ctx context.Context, q *question) error {
	for a := 0; a < q.keys.count; {
		b := q.keys.chunk(a)
		answers, err := l.one(ctx, q.join.Target, q.keys.slice(a, b))
		if err != nil {
			return err
		}
		q.answers = append(q.answers, answers...)
		a = b
	}
	if len(q.join.Below) == 0 || len(q.answers) == 0 {
		return nil
	}
	below := level{targets: l.targets, slots: l.slots}
	if err := below.read(q.answers, q.join.Below); err != nil {
		return err
	}
	if err := below.ask(ctx); err != nil {
		return err
	}
	joined := backend.NewAnswer(nil, nil, 0)
	ends := make([]int, len(q.answers))
	for i := range q.answers {
		if err := below.write(i, joined); err != nil {
			return err
		}
		ends[i] = len(joined.Buf)
	}
	start := 0
	for i, end := range ends {
		q.answers[i] = joined.Buf[start:end]
		start = end
	}
	return nil
}

// one asks one question, when it is its turn.
func (l *level) one(ctx context.Context, target int, keys Keys) ([][]byte, error) {
	select {
	case l.slots <- struct{}{}:
		defer func() { <-l.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := ctx.Err(); err != nil { // the turn came when it was over
		return nil, err
	}
	answers, err := l.targets.Ask(ctx, target, keys)
	if err == nil && len(answers) != keys.Len() {
		err = apierror.Newf(apierror.Unexpected, "%d keys have %d answers", keys.Len(), len(answers))
	}
	return answers, err
}

// chunk is the end of the keys that are requested together, from a on.
func (k *Keys) chunk(a int) int {
	size := 0
	for i := a; i < k.count; i++ {
		for _, v := range k.Key(i) {
			size += len(v)
		}
		if i > a && (i-a == maxKeys || size > maxKeyBytes) {
			return i
		}
	}
	return k.count
}

// write writes the i-th text with its joins in place.
func (l *level) write(i int, out *backend.Answer) error {
	text, at := l.texts[i], 0
	for _, c := range l.cuts[l.first[i]:l.first[i+1]] {
		out.Buf = append(out.Buf, text[at:c.start]...)
		if at = c.end; c.as != "" {
			out.Buf = append(jsontext.AppendString(out.Buf, c.as), ':')
		}
		switch {
		case c.hidden:
		case c.key == noKey:
			out.Buf = append(out.Buf, "null"...)
		default:
			out.Buf = append(out.Buf, c.question.answers[c.key]...)
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	out.Buf = append(out.Buf, text[at:]...)
	return out.Flush()
}
