package mssql

import (
	mssql "github.com/microsoft/go-mssqldb"

	"queryengine/pkg/apierror"
)

// class is what an error number means to clients.
type class struct {
	code apierror.Code
	// text and detail begin the message, in the words of the SQLSTATE that ODBC has for the number.
	text, detail string
}

// The words for the classes of errors.
const (
	textData       = "Data exception."
	textConstraint = "Constraint violation."
	textSyntax     = "Syntax error or access violation."
)

// driverPrefix stands in front of the messages of the database in the wire format.
const driverPrefix = "[Microsoft][ODBC Driver 18 for SQL Server][SQL Server]"

// classes are the numbers of errors that blame data or the text of a statement.
var classes = map[int32]class{
	// keys and constraints
	515:  {apierror.ConstraintViolation, textConstraint, "Not-NULL violation."},
	547:  {apierror.ConstraintViolation, textConstraint, "Foreign key or check constraint violation."},
	2601: {apierror.ConstraintViolation, textConstraint, "Uniqueness violation."},
	2627: {apierror.ConstraintViolation, textConstraint, "Uniqueness violation."},
	544:  {apierror.ConstraintViolation, textConstraint, "Identity column."},
	271:  {apierror.ConstraintViolation, textConstraint, "Computed column."},
	550:  {apierror.ConstraintViolation, textConstraint, "View with check option."},
	// values
	220:   {apierror.DataException, textData, "Numeric value out of range."},
	232:   {apierror.DataException, textData, "Numeric value out of range."},
	241:   {apierror.DataException, textData, "Invalid datetime format."},
	242:   {apierror.DataException, textData, "Datetime field overflow."},
	244:   {apierror.DataException, textData, "Numeric value out of range."},
	245:   {apierror.DataException, textData, "Invalid character value for cast specification."},
	248:   {apierror.DataException, textData, "Numeric value out of range."},
	295:   {apierror.DataException, textData, "Invalid datetime format."},
	296:   {apierror.DataException, textData, "Datetime field overflow."},
	517:   {apierror.DataException, textData, "Datetime field overflow."},
	2628:  {apierror.DataException, textData, "String data, right truncated."},
	6522:  {apierror.DataException, textData, ""},
	8114:  {apierror.DataException, textData, "Invalid character value for cast specification."},
	8115:  {apierror.DataException, textData, "Numeric value out of range."},
	8134:  {apierror.DataException, textData, "Division by zero."},
	8152:  {apierror.DataException, textData, "String data, right truncated."},
	8169:  {apierror.DataException, textData, "Invalid character value for cast specification."},
	9400:  {apierror.DataException, textData, ""},
	9420:  {apierror.DataException, textData, ""},
	9455:  {apierror.DataException, textData, ""},
	13608: {apierror.DataException, textData, ""},
	13609: {apierror.DataException, textData, ""},
	// rights of the user of the database
	229: {apierror.PermissionDenied, "Access to an object is denied.", ""},
	230: {apierror.PermissionDenied, "Access to an object is denied.", ""},
	// texts of administrators
	207:  {apierror.NotFound, textSyntax, "Column not found."},
	208:  {apierror.NotFound, textSyntax, "Base table or view not found."},
	3701: {apierror.NotFound, textSyntax, "Base table or view not found."},
	4902: {apierror.NotFound, textSyntax, "Base table or view not found."},
	4924: {apierror.NotFound, textSyntax, "Column not found."},
	2705: {apierror.AlreadyExists, textSyntax, "Column already exists."},
	2714: {apierror.AlreadyExists, textSyntax, "Base table or view already exists."},
	1913: {apierror.AlreadyExists, textSyntax, "Index already exists."},
}

// error is what a client sees. The words of the database name objects and hold values, so only
// administrators see them; all others learn what kind of fault it is.
func (c class) error(found mssql.Error, e executed) *apierror.Error {
	message := c.text
	if c.detail != "" {
		message += " " + c.detail
	}
	if e.Session == nil || e.Session.IsAdmin() {
		message += " " + driverPrefix + found.Message
	}
	return apierror.New(c.code, message).WithInternal(detailOf(found, e))
}
