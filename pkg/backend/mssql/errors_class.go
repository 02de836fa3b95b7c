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
	textDenied     = "Access to an object is denied."
	textCollation  = "Texts of different collations can't be compared."
	textComplex    = "The statement is too large or too deep for the database."
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
	// periods and histories of temporal tables
	13536: {apierror.ConstraintViolation, textConstraint, "Generated column."},
	13537: {apierror.ConstraintViolation, textConstraint, "Generated column."},
	13559: {apierror.ConstraintViolation, textConstraint, "History table."},
	271:   {apierror.ConstraintViolation, textConstraint, "Computed column."},
	550:   {apierror.ConstraintViolation, textConstraint, "View with check option."},
	// values
	220:   {apierror.DataException, textData, "Numeric value out of range."},
	201:   {apierror.ValidationFailed, "A parameter of the procedure has neither a value nor a default.", ""},
	232:   {apierror.DataException, textData, "Numeric value out of range."},
	235:   {apierror.DataException, textData, "Invalid character value for cast specification."},
	236:   {apierror.DataException, textData, "Numeric value out of range."},
	241:   {apierror.DataException, textData, "Invalid datetime format."},
	242:   {apierror.DataException, textData, "Datetime field overflow."},
	244:   {apierror.DataException, textData, "Numeric value out of range."},
	245:   {apierror.DataException, textData, "Invalid character value for cast specification."},
	248:   {apierror.DataException, textData, "Numeric value out of range."},
	293:   {apierror.DataException, textData, "Invalid character value for cast specification."},
	294:   {apierror.DataException, textData, "Numeric value out of range."},
	295:   {apierror.DataException, textData, "Invalid datetime format."},
	296:   {apierror.DataException, textData, "Datetime field overflow."},
	517:   {apierror.DataException, textData, "Datetime field overflow."},
	535:   {apierror.DataException, textData, "Datetime field overflow."},
	2628:  {apierror.DataException, textData, "String data, right truncated."},
	6522:  {apierror.DataException, textData, ""},
	8114:  {apierror.DataException, textData, "Invalid character value for cast specification."},
	8115:  {apierror.DataException, textData, "Numeric value out of range."},
	8134:  {apierror.DataException, textData, "Division by zero."},
	8152:  {apierror.DataException, textData, "String data, right truncated."},
	8169:  {apierror.DataException, textData, "Invalid character value for cast specification."},
	8170:  {apierror.DataException, textData, "String data, right truncated."},
	13608: {apierror.DataException, textData, ""},
	13609: {apierror.DataException, textData, ""},
	// rights of the user of the database
	229: {apierror.PermissionDenied, textDenied, ""},
	230: {apierror.PermissionDenied, textDenied, ""},
	262: {apierror.PermissionDenied, textDenied, ""},
	297: {apierror.PermissionDenied, textDenied, ""},
	300: {apierror.PermissionDenied, textDenied, ""},
	// texts of columns with different collations
	446: {apierror.NotSupported, textCollation, ""},
	449: {apierror.NotSupported, textCollation, ""},
	451: {apierror.NotSupported, textCollation, ""},
	457: {apierror.NotSupported, textCollation, ""},
	468: {apierror.NotSupported, textCollation, ""},
	// statements that can't be planned
	191:  {apierror.ValidationFailed, textComplex, ""},
	8003: {apierror.ValidationFailed, textComplex, ""},
	8621: {apierror.ValidationFailed, textComplex, ""},
	8623: {apierror.ValidationFailed, textComplex, ""},
	8631: {apierror.ValidationFailed, textComplex, ""},
	8632: {apierror.ValidationFailed, textComplex, ""},
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

// The numbers of the faults that its parser finds in XML.
const (
	firstXML = 9400
	lastXML  = 9499
)

// classOf is the class of an error, if it has one.
func classOf(number int32) (class, bool) {
	if number >= firstXML && number <= lastXML {
		return class{apierror.DataException, textData, "Invalid XML."}, true
	}
	c, known := classes[number]
	return c, known
}

// exhausted are the numbers of errors that report a lack of memory, locks or workers.
var exhausted = map[int32]bool{701: true, 802: true, 1204: true, 8645: true, 8651: true, 10928: true, 10929: true, 40501: true}

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
