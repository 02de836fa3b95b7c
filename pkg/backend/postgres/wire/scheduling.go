package wire

// Scheduling sets how the statements of a source are scheduled and planned. The zero value measures what is faster.
type Scheduling struct {
	// Share is whether short statements share round trips.
	Share Policy
	// Wait is whether transactions that write wait for each other.
	Wait  Policy
	Plans Plans
}

// Policy is when a source does something that saves time on some machines only.
type Policy uint8

// The policies.
const (
	// Auto measures whether it saves time.
	Auto Policy = iota
	// Off never does it.
	Off
	// Always does it wherever it is possible.
	Always
)

// Plans is who decides how prepared statements are planned.
type Plans uint8

// How prepared statements are planned.
const (
	// PlansAuto measures which plans are faster.
	PlansAuto Plans = iota
	// PlansByServer leaves it to the server.
	PlansByServer
	// PlansGeneric makes one plan for all parameters, PlansCustom one for the parameters of each run.
	PlansGeneric
	PlansCustom
)

// setting is the value of settingPlanMode for the sessions of a source, empty for none.
func (p Plans) setting() string {
	switch p {
	case PlansGeneric:
		return "force_generic_plan"
	case PlansCustom:
		return "force_custom_plan"
	}
	return ""
}
