package bus

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	deliveryv1 "queryengine/proto/delivery/v1"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestSubjects holds every name on the wire against testdata/subjects.golden: replicas of
// two versions talk to each other during an update, so none of them may change by mistake.
func TestSubjects(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	var kinds []string
	for _, e := range endpoints() {
		fmt.Fprintf(&b, "endpoint %s of %s: %s\n", e.Name, e.Service, e.Subject)
	}
	for _, topic := range topics() {
		fmt.Fprintf(&b, "topic: %s\n", topic.Subject)
	}
	fmt.Fprintf(&b, "stream %s: %s\n", ChangesStream, ChangesSubject)
	fmt.Fprintf(&b, "stream %s: %s, taken by %s\n", DeliveriesStream, deliveriesSubject, deliveriesConsumer)
	for kind := range deliveryv1.Kind_name {
		kinds = append(kinds, deliverySubject(deliveryv1.Kind(kind)))
	}
	slices.Sort(kinds)
	fmt.Fprintf(&b, "deliveries: %s\n", strings.Join(kinds, " "))
	fmt.Fprintf(&b, "bucket: %s\n", SnapshotsBucket)
	fmt.Fprintf(&b, "cache: %s %s %s\n", CacheBucket, cacheSubject("FAMILY", "KEY", 0), cacheSubjects("", "KEY"))
	for i := range snapshotsKept {
		fmt.Fprintf(&b, "object: %s\n", placeName(i))
	}
	fmt.Fprintf(&b, "keys: %s %s\n", streamIDKey, versionKey)
	fmt.Fprintf(&b, "cancel: %s\n", cancelSubject("SERVICE"))
	fmt.Fprintf(&b, "present: %s, direct: %s\n", presentSubject("SERVICE"), directSubject("SUBJECT", "PROCESS"))
	fmt.Fprintf(&b, "replies: %s, one: %s\n", repliesSubject(InboxPrefix("SERVICE")+".PROCESS"), replySubject(InboxPrefix("SERVICE")+".PROCESS", "CALL"))
	fmt.Fprintf(&b, "addresses: %s, one: %s\n", addressesSubject(InboxPrefix("SERVICE")+".PROCESS"), addressSubject(InboxPrefix("SERVICE")+".PROCESS", "CALLER.CALL"))
	for _, kind := range []frameKind{frameHead, framePiece, frameEnd, frameError, frameCutOff, frameRefused, frameAlive, frameWant} {
		fmt.Fprintf(&b, "frame: %s\n", frameSubject("REPLY", kind, 7))
	}
	for _, verb := range []string{verbCredit, verbStop, verbPart, verbProbe} {
		fmt.Fprintf(&b, "told: ADDRESS%s\n", verb)
	}
	fmt.Fprintf(&b, "call: %s\n", callToken(100, 4, 30*time.Second))
	fmt.Fprintf(&b, "headers: %s %s %s %s\n", headerSize, headerStream, headerVersion, headerPart)
	fmt.Fprintf(&b, "published stream %s: %s %s\n", PublishedStream("a.b", "orders"), PublishedSubject("a.b", "orders"),
		publishedTableSubject("default", "orders", "public", "Große Tabelle"))
	fmt.Fprintf(&b, "published headers: %s %s %s %s\n", headerOp, headerLSN, headerTable, headerPlace)
	golden(t, "subjects.golden", b.String())
}

// TestAccountsConf holds the users that are deployed to what the services use.
func TestAccountsConf(t *testing.T) {
	t.Parallel()
	golden(t, filepath.Join("..", "..", "..", "deploy", "nats", "accounts.conf"), AccountsConf())
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}
