package table

import (
	"testing"

	"queryengine/pkg/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }
