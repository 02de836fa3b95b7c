package reply_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"queryengine/services/gateway/internal/reply"
)

func either(e reply.Encoding) reply.Accepted { return reply.Accepted{Encoding: e} }

func only(e reply.Encoding) reply.Accepted { return reply.Accepted{Encoding: e, Required: true} }

func TestAccept(t *testing.T) {
	t.Parallel()
	for field, want := range map[string]reply.Accepted{
		"": reply.Plain, "*": reply.Plain, "identity": reply.Plain, "deflate": reply.Plain, "gzip;q=0": reply.Plain, ",;,": reply.Plain,
		"gzip": either(reply.Gzip), "x-gzip": either(reply.Gzip), "foo, GZIP;q=0.5": either(reply.Gzip), "gzip, identity": either(reply.Gzip),
		"gzip;q=x": either(reply.Gzip), "gzip, *": either(reply.Gzip), "gzip;q=0.1, identity;q=0.9": either(reply.Gzip),
		"br": either(reply.Brotli), "zstd": either(reply.Zstd), "gzip;q=0, br": either(reply.Brotli),
		"gzip, deflate, br, zstd": either(reply.Gzip), "br, zstd": either(reply.Brotli), "gzip;q=0.5, zstd": either(reply.Zstd), "gzip, deflate, br": either(reply.Gzip),
		"gzip;q=0.8, br;q=0.9, zstd;q=0.1": either(reply.Brotli), "gzip; Q=0.5 , br ; q=0.4": either(reply.Gzip),
		"gzip, identity;q=0": only(reply.Gzip), "gzip;q=1, *;q=0": only(reply.Gzip), "gzip, *;q=0, identity;q=0.1": either(reply.Gzip),
		"zstd, identity;q=0": only(reply.Zstd), "identity;q=0, *": only(reply.Gzip), "identity;q=0, *, gzip;q=0": only(reply.Identity),
		"*;q=0": only(reply.Identity), "identity;q=0": only(reply.Identity),
	} {
		require.Equal(t, want, reply.Accept([]string{field}), field)
	}
	require.Equal(t, reply.Plain, reply.Accept(nil))
	require.Equal(t, only(reply.Gzip), reply.Accept([]string{"gzip", "identity;q=0"}))
}

func TestWholeAnswer(t *testing.T) {
	t.Parallel()
	small, large := strings.Repeat("a", 699), strings.Repeat("ab", 100_000)
	for name, c := range map[string]struct {
		body     string
		accepted reply.Accepted
		want     string
	}{
		"plain":             {large, reply.Plain, ""},
		"small":             {small, either(reply.Gzip), ""},
		"at the threshold":  {small + "a", either(reply.Gzip), "gzip"},
		"large":             {large, either(reply.Gzip), "gzip"},
		"small but refused": {"{}", only(reply.Gzip), "gzip"},
		"nothing accepted":  {large, only(reply.Identity), ""},
		"empty":             {"", reply.Plain, ""},
		"small brotli":      {small + "a", either(reply.Brotli), "br"},
		"large brotli":      {large, either(reply.Brotli), "br"},
		"small zstd":        {small + "a", either(reply.Zstd), "zstd"},
		"large zstd":        {large, either(reply.Zstd), "zstd"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := reply.NewStream(&reply.Compressor{})
			for range 2 { // the second time with the encoder of the first
				w := httptest.NewRecorder()
				s.Reset(w, c.accepted)
				s.SetStatus(http.StatusTeapot)
				for i := 0; i < len(c.body); i += 1000 {
					_, err := s.Write([]byte(c.body[i:min(len(c.body), i+1000)]))
					require.NoError(t, err)
				}
				require.False(t, s.Started())
				require.NoError(t, s.Close())
				require.Equal(t, http.StatusTeapot, w.Code)
				length := strconv.Itoa(w.Body.Len())
				if n := w.Body.Len(); 0 < n && n < 2<<10 {
					length = "" // net/http announces it: TestLength
				}
				require.Equal(t, length, w.Header().Get("Content-Length"))
				require.Equal(t, "Accept-Encoding", w.Header().Get("Vary"))
				require.EqualValues(t, w.Body.Len(), s.Sent())
				require.EqualValues(t, len(c.body), s.Size())
				require.Equal(t, c.want, s.Encoding().String())
				require.Equal(t, c.want, w.Header().Get("Content-Encoding"))
				require.Equal(t, c.body, read(t, w))
			}
		})
	}
}

func TestLongAnswer(t *testing.T) {
	t.Parallel()
	frames := make([]string, 5)
	for i := range frames {
		frames[i] = strings.Repeat(fmt.Sprintf("%09d,", i), 60_000)
	}
	for _, accepted := range []reply.Accepted{reply.Plain, either(reply.Gzip), either(reply.Brotli), either(reply.Zstd)} {
		t.Run("as "+accepted.Encoding.String(), func(t *testing.T) {
			t.Parallel()
			w := httptest.NewRecorder()
			s := reply.NewStream(&reply.Compressor{})
			s.Reset(w, accepted)
			for i, frame := range frames {
				require.Equal(t, i > 1, s.Started(), "the first frame is held back")
				_, err := s.Write([]byte(frame))
				require.NoError(t, err)
				if i > 0 {
					require.Equal(t, strings.Join(frames[:i+1], ""), arrived(t, w), "frames go on as they come")
				}
			}
			require.NoError(t, s.Close())
			require.Empty(t, w.Header().Get("Content-Length"))
			require.EqualValues(t, len(frames)*len(frames[0]), s.Size())
			require.Equal(t, strings.Join(frames, ""), read(t, w))
		})
	}
}

// TestBoundOnEncoders holds that clients that take their time don't hold more than so many
// encoders: further answers are sent as they are.
func TestBoundOnEncoders(t *testing.T) {
	t.Parallel()
	frame := []byte(strings.Repeat("x", 600_000))
	var c reply.Compressor
	begin := func() *reply.Stream {
		s := reply.NewStream(&c)
		s.Reset(httptest.NewRecorder(), either(reply.Gzip))
		for range 2 {
			_, err := s.Write(frame)
			require.NoError(t, err)
		}
		return s
	}
	var open []*reply.Stream
	for {
		s := begin()
		open = append(open, s)
		if s.Encoding() == reply.Identity {
			break
		}
		require.LessOrEqual(t, len(open), 200)
	}
	open[0].Abandon()
	require.Equal(t, reply.Gzip, begin().Encoding(), "one that breaks off makes room")
	require.NoError(t, open[1].Close())
	require.Equal(t, reply.Gzip, begin().Encoding(), "one that ends makes room")
}

func TestPackedBodiesStay(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	w.Header().Set("Content-Encoding", "gzip")
	s := reply.NewStream(&reply.Compressor{})
	s.Reset(w, only(reply.Zstd))
	body := strings.Repeat("packed already", 1000)
	_, err := s.Write([]byte(body))
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.Equal(t, "gzip", w.Header().Get("Content-Encoding"))
	require.Equal(t, body, w.Body.String())
}

func TestCachesKnowOfBoth(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	w.Header().Set("Vary", "Origin")
	s := reply.NewStream(&reply.Compressor{})
	s.Reset(w, reply.Plain)
	require.NoError(t, s.Close())
	require.Equal(t, []string{"Origin", "Accept-Encoding"}, w.Header().Values("Vary"))
}

// read is the body of an answer, unpacked.
func read(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	b, err := io.ReadAll(unpack(t, w))
	require.NoError(t, err)
	return string(b)
}

// arrived is what a client can know of a body that has not ended.
func arrived(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	b, err := io.ReadAll(unpack(t, w))
	if w.Header().Get("Content-Encoding") != "" {
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	}
	return string(b)
}

func unpack(t *testing.T, w *httptest.ResponseRecorder) io.Reader {
	t.Helper()
	body := strings.NewReader(w.Body.String())
	switch w.Header().Get("Content-Encoding") {
	case "gzip":
		z, err := gzip.NewReader(body)
		require.NoError(t, err)
		return z
	case "br":
		return brotli.NewReader(body)
	case "zstd":
		z, err := zstd.NewReader(body)
		require.NoError(t, err)
		t.Cleanup(z.Close)
		return z
	}
	return body
}
