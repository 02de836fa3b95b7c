package metadata

import (
	"testing"

	"queryengine/pkg/bus/bustest"
	"queryengine/pkg/dbtest"
)

func TestMain(m *testing.M) {
	bustest.ServeIfAsked()
	dbtest.Main(m)
}
