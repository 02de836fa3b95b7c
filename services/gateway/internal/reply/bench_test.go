package reply_test

import (
	"fmt"
	"io"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"queryengine/services/gateway/internal/reply"
)

// BenchmarkEncodings shows what packing costs and saves: rows of a table as they are answered.
func BenchmarkEncodings(b *testing.B) {
	for _, size := range []int{2_000, 20_000, 300_000} {
		body := []byte(`{"data":{"track":[`)
		for i := 0; len(body) < size; i++ {
			body = fmt.Appendf(body, `{"id":%d,"name":"Song number %x","album":%d,"composer":"A. Young, M. %x","milliseconds":%d,"price":0.99},`,
				i, i*2654435761%100003, i/11, i*7919%1009, 200000+i*7919%150000)
		}
		for _, e := range []reply.Encoding{reply.Identity, reply.Zstd, reply.Gzip, reply.Brotli} {
			b.Run(fmt.Sprintf("%d/%s", size, e), func(b *testing.B) {
				s := reply.NewStream(&reply.Compressor{})
				b.ReportAllocs()
				b.SetBytes(int64(len(body)))
				for b.Loop() {
					s.Reset(discard{httptest.NewRecorder()}, either(e))
					_, err := s.Write(body)
					require.NoError(b, err)
					require.NoError(b, s.Close())
				}
				b.ReportMetric(100*float64(s.Sent())/float64(s.Size()), "%size")
			})
		}
	}
}

// discard is a client that keeps nothing.
type discard struct{ *httptest.ResponseRecorder }

func (discard) Write(p []byte) (int, error) { return io.Discard.Write(p) }
