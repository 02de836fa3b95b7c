package store

import "context"

// ForgetActions removes what the log knows of asynchronous actions, together with the change of
// the document.
func (t *Tx) ForgetActions(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	_, err := t.tx.Exec(ctx, `DELETE FROM engine_catalog.engine_action_log WHERE action_name = ANY ($1)`, names)
	return failure(err)
}
