package e2e

// Texts that the scenarios look for in the pages, by role and accessible name. If you change the texts of the app, change them
// here, and the scenarios stay unchanged.

// Buttons.
const (
	buttonAddALine             = "Add a line"
	buttonAddAndEmail          = "Add and email a link"
	buttonAddPerson            = "Add person"
	buttonAddWebhookSource     = "Add webhook source"
	buttonApply                = "Apply"
	buttonArchive              = "Archive"
	buttonBillPeriod           = "Bill period"
	buttonChangePassword       = "Change password"
	buttonChoosePassword       = "Choose password"
	buttonCreateAnyway         = "Create anyway"
	buttonCreateAsANewInvoice  = "Create as a new invoice"
	buttonCreateBusiness       = "Create business"
	buttonCreateCreditNote     = "Create credit note"
	buttonCreateCustomer       = "Create customer"
	buttonCreateInvoice        = "Create invoice"
	buttonCreateItForOther     = "Create it for Globex Works"
	buttonCreateSchedule       = "Create schedule"
	buttonCreateToken          = "Create token"
	buttonDiscard              = "Discard"
	buttonDisable              = "Disable"
	buttonDismiss              = "Dismiss"
	buttonDoNotSend            = "Don't send"
	buttonEmailALink           = "Email a link"
	buttonEmailANewLink        = "Email a new link"
	buttonEnable               = "Enable"
	buttonAttachFile           = "Attach file"
	buttonIssueAndEmail        = "Issue and email to …"
	buttonLogIn                = "Log in"
	buttonLogOut               = "Log out"
	buttonLogOutElsewhere      = "Log out everywhere else"
	buttonMergeCustomers       = "Merge customers"
	buttonNewLink              = "New link"
	buttonPause                = "Pause"
	buttonRecordAnotherPayment = "Record another payment"
	buttonRecordPayment        = "Record payment"
	buttonRecordRefund         = "Record refund"
	buttonRememberDistinction  = "Remember distinction"
	buttonRemoveLine2          = "Remove line 2"
	buttonRemoveLine1          = "Remove line 1"
	buttonRestore              = "Restore"
	buttonResume               = "Resume"
	buttonRevoke               = "Revoke"
	buttonSaveChanges          = "Save changes"
	buttonSaveAsChosen         = "Save as chosen"
	buttonSaveBoth             = "Save both"
	buttonSaveTheseChangesToo  = "Save these changes too"
	buttonSearch               = "Search"
	buttonSendAgain            = "Send again"
	buttonSendEMail            = "Send email"
	buttonTryAgain             = "Try again"
	buttonUndo                 = "Undo"
	buttonVoidInvoice          = "Void invoice"
	buttonWithdrawLink         = "Withdraw link"
)

// Links.
const (
	linkBillNow         = "Bill now"
	linkContinue        = "Continue"
	linkCopyAsNew       = "Copy as new"
	linkCredit          = "Credit"
	linkCustomers       = "Customers"
	linkDownloadPDF     = "Download PDF"
	linkDraft           = "Draft"
	linkEdit            = "Edit"
	linkInvoices        = "Invoices"
	linkDemoMail        = "This is the link."
	linkSignUp          = "Sign up"
	linkForgot          = "Forgot your password?"
	linkIssueInvoice    = "Issue invoice"
	linkLogInAsFirst    = "Log in as Acme Studio"
	linkMerge           = "Merge…"
	linkNewCustomer     = "New customer"
	linkNewInvoice      = "New invoice"
	linkNext            = "Next"
	linkNotDuplicates   = "Not duplicates…"
	linkOpenTheInvoice  = "Open the invoice"
	linkOutbox          = "Outbox"
	linkPrevious        = "Previous"
	linkRecordPayment   = "Record payment"
	linkRepeat          = "Make it recurring…"
	linkSettings        = "Settings"
	linkShowAllInvoices = "Show all invoices"
	linkSkipToContent   = "Skip to content"
	linkVoid            = "Void…"
)

// Fields.
const (
	fieldAddress             = "Address (optional)"
	fieldAmountInEUR         = "Amount in EUR"
	fieldBillTo              = "Bill to"
	fieldBankOrProvider      = "Bank or provider (optional)"
	fieldCountry             = "Country (optional)"
	fieldCurrency            = "Currency"
	fieldCurrentPassword     = "Current password"
	fieldCustomerEmail       = "Customer email"
	fieldDueDate             = "Due date"
	fieldCustomerName        = "Customer name"
	fieldDescription         = "Description"
	fieldBusiness            = "Name of your business"
	fieldEmail               = "Email"
	fieldEvery               = "Every"
	fieldIssueDate           = "Issue date"
	fieldIBANOrAccountNumber = "IBAN or account number (optional)"
	fieldLegalName           = "Legal name"
	fieldName                = "Name"
	fieldPeriod              = "Period"
	fieldPersonName          = "Name (optional)"
	fieldNewPassword         = "New password"
	fieldNotes               = "Notes"
	fieldNumber              = "Number"
	fieldPassword            = "Password"
	fieldQuantity            = "Quantity"
	fieldReference           = "Reference (optional)"
	fieldSearchInvoices      = "Search invoices"
	fieldSigningSecret       = "Signing secret"
	fieldTaxRate             = "Tax %"
	fieldTo                  = "To"
	fieldUnitPrice           = "Unit price"
)

// Headings, or their beginnings.
const (
	headingCreditNote     = "Credit note CN-"
	headingCustomers      = "Customers"
	headingEditCustomer   = "Edit customer"
	headingEditInvoice    = "Edit invoice"
	headingHome           = "Home"
	headingLoggedOut      = "You are no longer logged in"
	headingInbox          = "Look into your inbox"
	headingLogIn          = "Log in"
	headingNewCreditNote  = "New credit note"
	headingNewInvoice     = "New invoice"
	headingNewSchedule    = "New schedule"
	headingNothingIsOpen  = "Nothing is open on this invoice."
	headingOutbox         = "Outbox"
	headingRecordAPayment = "Record a payment"
	headingRecordARefund  = "Record a refund"
	headingOtherBusiness  = "This form belongs to Acme Studio, and you are now logged in as Globex Works."
	headingCannotVoid     = "You can't void this invoice."
)

// Sentences, or parts thereof.
const (
	saysNotSaved           = "What you typed into this form just now wasn't saved."
	saysNotSavedFor6Days   = "What you typed into this form 6 days ago wasn't saved."
	saysUnsavedInvoice     = "You have an unsaved invoice from "
	saysUnsavedChanges     = "You have unsaved changes from "
	saysOfflineAndKept     = "You're offline. What you typed is kept; it is sent when the connection is back."
	saysOfflineAndSent     = "You're offline, and no answer came. The form is sent again once you're back online, and saved only once."
	saysOfflineNothing     = "You're offline. This is sent when the connection is back."
	saysNotSent            = "Not sent."
	saysRestored           = "Restored."
	saysOfOtherBusiness    = "This form belongs to Acme Studio"
	saysEMailQueued        = "Email queued."
	saysBusinessIsReady    = "Your business is ready."
	saysIfThereIsAnAccount = "If there is an account with this email, we've sent a link to it."
	saysInvited            = "Invited, has not chosen a password yet"
	saysIssued             = "issued."
	saysNoInvoicesFound    = "No invoices found"
	saysNothingIsOpen      = "Nothing is open."
	saysNothingToSave      = "Nothing to save"
	saysNothingWasSaved    = "Nothing was saved."
	saysPaymentRecorded    = "Payment recorded."
	saysCouldNotConfirm    = "We couldn't confirm"
	saysDatabaseDown       = "The database can't be reached. This attempt saved nothing, but an earlier one may have."
	saysSentWhenReady      = "This is sent again by itself when the database can be reached, and saved only once."
	saysInvoiceAttached    = "The invoice is attached as a PDF file."
	saysDemoPasswordsStay  = "The demo's passwords can't be changed."
	saysProblem            = "There is a problem"
	saysTokenTaken         = "There is a token named demo."
	saysLinkDoesNotWork    = "This link does not work"
	saysPersonTaken        = "Each email address belongs to one person"
	saysEmailUnusable      = "This email address can't be used."
	saysNoIBAN             = "Check this IBAN for typing mistakes."
	saysChangedMeanwhile   = "was changed while you were editing"
	saysStillSaving        = "Your first submission hasn't finished. Trying again is safe."
	saysArchived           = "Archived on "
)

// Messages to repeats and late submissions.
const (
	ignoredDuplicate     = "Invoice created. We ignored the duplicate submission and kept your first request."
	ignoredAgain         = "We ignored the duplicate submission and kept your first request."
	ignoredSecondEdit    = "We ignored the duplicate submission and kept your first request. This page shows the current state."
	ignoredSecondPayment = "Payment recorded. We ignored the duplicate submission and kept your first request."
	keptOriginal         = "We kept the original and didn't create a second one."
	changesNotSaved      = "Your changes weren't saved."
	wasIssued            = "You can no longer change this invoice. It was issued, and stays as it is."
	openHasChanged       = "The open amount has changed since you opened this form. The payment wasn't recorded."
)

// Texts with the name of a record.
func created(number string) string        { return "Invoice " + number + " created" }
func issued(number string) string         { return "Invoice " + number + " issued." }
func voided(number string) string         { return "Invoice " + number + " voided." }
func saved(name string) string            { return "Changes to " + name + " saved." }
func archived(name string) string         { return "Customer " + name + " archived." }
func restored(name string) string         { return "Customer " + name + " restored." }
func alreadyCreated(name string) string   { return "This form already created " + name + "." }
func alreadySaved(name string) string     { return "This form already saved changes to " + name + "." }
func headingInvoice(number string) string { return "Invoice " + number }
func headingCopy(number string) string    { return "Copy of " + number }
func linkOpen(name string) string         { return "Open " + name }
func linkRefund(amount string) string     { return "Refund " + amount + " EUR of it" }
