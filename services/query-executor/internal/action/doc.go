// Package action takes what clients have selected from the answers of actions.
package action
