// Made by `make console` from the Go types of the metadata API. Don't edit it.

export type Json = unknown;
export type MetadataDocument = Document;
export type Status = Answer;

export interface ActionArgument {
  name: string;
  type: string;
  description?: string;
}

export interface ActionDefinition {
  handler: string;
  output_type: string;
  forward_client_headers?: boolean;
  ignored_client_headers?: string[];
  headers?: Header[];
  arguments?: ActionArgument[];
  request_transform?: Json;
  response_transform?: Json;
  type?: string;
  kind?: string;
  timeout?: number;
}

export interface AddCollectionToAllowlistArgs {
  collection: string;
  scope?: AllowlistScope;
}

export interface AddComputedFieldArgs {
  source?: string;
  table: Name;
  name: string;
  definition: ComputedFieldDefinition;
  comment?: string;
}

export interface AddInheritedRoleArgs {
  role_name: string;
  role_set: string[];
}

export interface AddQueryToCollectionArgs {
  collection_name: string;
  query_name: string;
  query: string;
  tool?: DocumentTool;
}

export interface AddRemoteSchemaArgs {
  name: string;
  definition: RemoteSchemaDefinition;
  comment?: string;
}

export interface AddRemoteSchemaPermissionsArgs {
  remote_schema: string;
  role: string;
  definition: RemoteSchemaPermissionDefinition;
  comment?: string;
}

export interface AddSourceArgs {
  name: string;
  configuration: Json;
  replace_configuration?: boolean;
  customization?: Customization;
  health_check?: Json;
}

export interface AddTLSHostArgs {
  host: string;
  suffix?: string;
  permissions?: string[];
}

export interface Affixes {
  prefix?: string;
  suffix?: string;
}

export interface AllowlistEntry {
  collection: string;
  scope: AllowlistScope;
}

export interface AllowlistScope {
  global: boolean;
  roles?: string[];
}

export interface Answer {
  at: string;
  metadata_version: number;
  instances: Instance[];
  sources: Database[];
  backlogs: Backlog[];
  backlog_error?: string;
  operation_bounds: number[];
}

export interface Backlog {
  kind: string;
  source?: string;
  trigger?: string;
  pending: number;
  in_flight: number;
  oldest: string;
  paused?: boolean;
}

export interface BulkArgs {
}

export interface CleanUps {
  count: number;
  failed: number;
  events: number;
  invocations: number;
}

export interface CleanupEventLogsArgs {
  source?: string;
  event_trigger_name: string;
  batch_size?: number;
  clear_older_than: number;
  timeout?: number;
  clean_invocation_logs?: boolean;
}

export interface CollectionClient {
  name: string;
  version?: string;
}

export interface CollectionDefinition {
  queries: StoredQuery[];
  prompts?: Prompt[];
}

export interface ColumnConfig {
  custom_name?: string;
  comment?: string;
}

export interface ColumnDefinition {
  name: string;
  type: string;
  nullable: boolean;
  default?: string;
  generated?: string;
  identity?: string;
  values?: string[];
  description?: string;
}

export interface ComputedField {
  name: string;
  definition: ComputedFieldDefinition;
  comment?: string;
}

export interface ComputedFieldDefinition {
  function: Name;
  table_argument?: string;
  session_argument?: string;
  return_table?: Name;
  argument_mapping?: Record<string, string>;
}

export interface ConflictingEndpoint {
  comment: string;
  definition: {
  query: string;
  };
  methods: string[];
  name: string;
  url: string;
}

export interface ConnectionTemplate {
  version?: number;
  template: string;
}

export interface CountEventInvocationsArgs {
  source?: string;
  name: string;
  from: Json;
  to?: Json;
  interval?: number;
}

export interface CountScheduledEventInvocationsArgs {
  type: string;
  trigger_name?: string;
  from: Json;
  to?: Json;
  interval?: number;
}

export interface CreateActionArgs {
  name: string;
  definition: ActionDefinition;
  comment?: string;
}

export interface CreateActionPermissionArgs {
  action: string;
  role: string;
  comment?: string;
}

export interface CreateArrayRelationshipArgs {
  source?: string;
  table: Name;
  name: string;
  using: Json;
  comment?: string;
}

export interface CreateCronTriggerArgs {
  name: string;
  webhook: string;
  schedule: string;
  include_in_metadata: boolean;
  payload?: Json;
  retry_conf?: ScheduleRetry;
  headers?: Header[];
  comment?: string;
  request_transform?: Json;
  response_transform?: Json;
  paused?: boolean;
  replace?: boolean;
}

export interface CreateEventTriggerArgs {
}

export interface CreateFunctionPermissionArgs {
  source?: string;
  function: Name;
  role: string;
}

export interface CreateLogicalModelPermissionArgs {
  source?: string;
  type?: string;
  name: string;
  role: string;
  permission: SelectPermission | SelectPermission[];
  comment?: string;
}

export interface CreatePermissionDeletePermissionArgs {
  source?: string;
  table: Name;
  role: string;
  permission: DeletePermission | DeletePermission[];
  comment?: string;
}

export interface CreatePermissionInsertPermissionArgs {
  source?: string;
  table: Name;
  role: string;
  permission: InsertPermission | InsertPermission[];
  comment?: string;
}

export interface CreatePermissionSelectPermissionArgs {
  source?: string;
  table: Name;
  role: string;
  permission: SelectPermission | SelectPermission[];
  comment?: string;
}

export interface CreatePermissionUpdatePermissionArgs {
  source?: string;
  table: Name;
  role: string;
  permission: UpdatePermission | UpdatePermission[];
  comment?: string;
}

export interface CreateQueryCollectionArgs {
  name: string;
  definition: CollectionDefinition;
  comment?: string;
  client?: CollectionClient;
  rest?: boolean;
}

export interface CreateRESTEndpointArgs {
  comment?: string;
  definition: EndpointDefinition;
  methods: string[];
  name: string;
  url: string;
}

export interface CreateRelationshipArgs {
  source?: string;
  table: Name;
  name: string;
  using: Json;
  comment?: string;
}

export interface CreateRemoteRelationshipArgs {
}

export interface CreateRemoteTypeRelationshipArgs {
  remote_schema: string;
  type_name: string;
  name: string;
  definition: Json;
}

export interface CreateScheduledEventArgs {
  webhook: string;
  schedule_at: Json;
  payload?: Json;
  headers?: Header[];
  retry_conf?: ScheduleRetry;
  comment?: string;
  request_transform?: Json;
  response_transform?: Json;
}

export interface Customization {
  root_fields?: RootFieldsCustomization;
  type_names?: Affixes;
  naming_convention?: string;
  json_paths?: boolean;
  groups?: boolean;
}

export interface Database {
  name: string;
  kind: string;
  inconsistent?: string;
  health: Json;
  unreachable?: string;
  backlog_error?: string;
}

export interface Definition {
  name: string;
  type: string;
  columns?: string[];
  definition?: string;
  foreign_table?: Name;
  foreign_columns?: string[];
}

export interface DeleteCronTriggerArgs {
  name: string;
}

export interface DeleteEventTriggerArgs {
  source?: string;
  name: string;
}

export interface DeletePermission {
  name?: string;
  filter: Json;
  backend_only?: boolean;
  validate_input?: Json;
}

export interface DeleteRemoteRelationshipArgs {
  source?: string;
  table: Name;
  name: string;
}

export interface DeleteRemoteTypeRelationshipArgs {
  remote_schema: string;
  type_name: string;
  name: string;
}

export interface DeleteScheduledEventArgs {
  type: string;
  event_id: string;
}

export interface DescribeTableArgs {
  source?: string;
  table: Name;
}

export interface DiffMetadataVersionsArgs {
  from: number;
  to?: number;
}

export interface Document {
  version: number;
  sources: Source[];
  remote_schemas?: RemoteSchema[];
  query_collections?: QueryCollection[];
  allowlist?: AllowlistEntry[];
  actions?: Json[];
  custom_types?: Json;
  cron_triggers?: Json[];
  rest_endpoints?: RESTEndpoint[];
  api_limits?: Json;
  metrics_config?: Json;
  inherited_roles?: InheritedRole[];
  graphql_schema_introspection?: Json;
  document_rules?: Json;
  network?: Json;
  backend_configs?: Json;
  opentelemetry?: Json;
}

export interface DocumentTool {
  name?: string;
  title?: string;
  description?: string;
}

export interface DropActionArgs {
  name: string;
  clear_data?: boolean;
}

export interface DropActionPermissionArgs {
  action: string;
  role: string;
}

export interface DropCollectionFromAllowlistArgs {
}

export interface DropComputedFieldArgs {
  source?: string;
  table: Name;
  name: string;
  cascade?: boolean;
}

export interface DropFunctionPermissionArgs {
  source?: string;
  function: Name;
  role: string;
}

export interface DropInheritedRoleArgs {
  role_name: string;
}

export interface DropLogicalModelPermissionArgs {
  source?: string;
  type?: string;
  name: string;
  role: string;
}

export interface DropPermissionDeletePermissionArgs {
  source?: string;
  table: Name;
  role: string;
}

export interface DropPermissionInsertPermissionArgs {
  source?: string;
  table: Name;
  role: string;
}

export interface DropPermissionSelectPermissionArgs {
  source?: string;
  table: Name;
  role: string;
}

export interface DropPermissionUpdatePermissionArgs {
  source?: string;
  table: Name;
  role: string;
}

export interface DropQueryCollectionArgs {
  collection: string;
  cascade: boolean;
}

export interface DropQueryFromCollectionArgs {
  collection_name: string;
  query_name: string;
}

export interface DropRESTEndpointArgs {
  name: string;
}

export interface DropRelationshipArgs {
  source?: string;
  table: Name;
  relationship: string;
  cascade?: boolean;
}

export interface DropRemoteSchemaPermissionsArgs {
  remote_schema: string;
  role: string;
}

export interface DropSourceArgs {
  name: string;
  cascade?: boolean;
}

export interface DropTLSHostArgs {
  host: string;
  suffix?: string;
}

export interface EndpointDefinition {
  query: QueryReference;
}

export interface EnumType {
  name: string;
  description?: string;
  values: EnumTypeValue[];
}

export interface EnumTypeValue {
  value: string;
  description?: string;
  is_deprecated?: boolean;
}

export interface ExplainPermissionsArgs {
  source?: string;
  table: Name;
  role: string;
  session?: Record<string, string>;
  key: Json;
}

export interface ExportMetadataArgs {
}

export interface Function {
  function: Name;
  configuration?: FunctionConfiguration;
  permissions?: FunctionPermission[];
  comment?: string;
}

export interface FunctionConfiguration {
  custom_name?: string;
  custom_root_fields?: Record<string, string>;
  session_argument?: string;
  exposed_as?: string;
  response?: Json;
}

export interface FunctionPermission {
  role: string;
}

export interface GetAgentTableInfoArgs {
  source: string;
  table: Json;
}

export interface GetEventByIDArgs {
  source?: string;
  event_id: string;
  invocation_log_limit?: number;
  invocation_log_offset?: number;
}

export interface GetEventInvocationLogsArgs {
  source?: string;
  name: string;
  limit?: number;
  offset?: number;
}

export interface GetEventLogsArgs {
  source?: string;
  name: string;
  limit?: number;
  offset?: number;
  status?: string;
}

export interface GetInconsistentMetadataArgs {
}

export interface GetLogicalModelArgs {
  source: string;
}

export interface GetNativeQueryArgs {
  source: string;
}

export interface GetScheduledEventInvocationsArgs {
  type: string;
  trigger_name?: string;
  event_id?: string;
  status?: string[];
  limit?: number;
  offset?: number;
  get_rows_count?: boolean;
}

export interface GetScheduledEventsArgs {
  type: string;
  trigger_name?: string;
  status?: string[];
  order_by?: ScheduledOrder[];
  limit?: number;
  offset?: number;
  get_rows_count?: boolean;
}

export interface GetSourceFunctionsArgs {
  source?: string;
}

export interface GetSourceKindCapabilitiesArgs {
  name: string;
}

export interface GetSourceTablesArgs {
  source: string;
}

export interface GetSourceTrackablesArgs {
  source: string;
}

export interface GetTableInfoArgs {
  source: string;
  table: Name;
}

export interface Header {
  name: string;
  value?: string;
  value_from_env?: string;
}

export interface HeaderPair {
}

export interface ImportDocumentsArgs {
  collection: string;
  client?: CollectionClient;
  documents: Json;
  replace?: boolean;
  rest?: boolean;
  allow?: AllowlistScope;
}

export interface Inconsistency {
  definition?: Json;
  name?: string;
  reason: string;
  type?: string;
  message?: Json;
  objects?: InconsistentObject[];
  conflicts?: ConflictingEndpoint[];
  entity?: Json;
}

export interface InconsistentObject {
  definition: Json;
  name: string;
  type: string;
}

export interface Index {
  name: string;
  method?: string;
  columns: string[];
  include?: string[];
  unique: boolean;
  where?: string;
  invalid?: boolean;
  definition?: string;
}

export interface InheritedRole {
  role_name: string;
  role_set: string[];
}

export interface InputField {
  name: string;
  description?: string;
  type: string;
}

export interface InputObjectType {
  name: string;
  description?: string;
  fields: InputField[];
}

export interface InsertPermission {
  name?: string;
  check: Json;
  set?: Json;
  columns?: "*" | string[];
  backend_only?: boolean;
  validate_input?: Json;
}

export interface Instance {
  service: string;
  instance: string;
  version: string;
  started_at: string;
  uptime_seconds: number;
  metadata_version: number;
  healthy: boolean;
  error?: string;
  metrics: Sample[];
  operations?: Operation[];
  triggers?: TriggerCalls[];
  responding: boolean;
  reported_at: string;
}

export interface IntrospectRemoteSchemaArgs {
  name: string;
}

export interface InvokeEventTriggerArgs {
  source?: string;
  name: string;
  payload: Json;
}

export interface LimitRate {
  global: Rate;
  per_role?: Record<string, Rate>;
}

export interface LimitSeconds {
  global: number;
  per_role?: Record<string, number>;
}

export interface Limitint {
  global: number;
  per_role?: Record<string, number>;
}

export interface Limitint64 {
  global: number;
  per_role?: Record<string, number>;
}

export interface ListMetadataVersionsArgs {
  limit?: number;
  before?: number;
  search?: string;
}

export interface LogicalModel {
  name: string;
  fields: LogicalModelField[];
  description?: string;
  select_permissions?: PermissionSelectPermission[];
}

export interface LogicalModelField {
  name: string;
  type: Json;
  description?: string;
}

export interface Name {
  name: string;
  schema?: string;
  dataset?: string;
}

export interface NameValue {
  name: string;
  value: string;
}

export interface NativeQuery {
  root_field_name: string;
  code: string;
  arguments?: Record<string, NativeQueryArgument>;
  returns: Json;
  object_relationships?: NativeQueryRelationship[];
  array_relationships?: NativeQueryRelationship[];
  description?: string;
}

export interface NativeQueryArgument {
  type: string;
  nullable: boolean;
  description?: string;
}

export interface NativeQueryMapping {
  column_mapping: Record<string, string>;
  remote_table?: Name;
  remote_native_query?: string;
  insertion_order: string;
}

export interface NativeQueryRelationship {
  name: string;
  using: NativeQueryMapping;
}

export interface OTLPExporter {
  otlp_traces_endpoint?: Json;
  otlp_metrics_endpoint?: Json;
  otlp_logs_endpoint?: Json;
  protocol?: string;
  headers?: Header[];
  resource_attributes?: NameValue[];
  traces_propagators?: string[];
}

export interface ObjectField {
  name: string;
  description?: string;
  type: string;
  arguments?: Json;
}

export interface ObjectType {
  name: string;
  description?: string;
  fields: ObjectField[];
  relationships?: TypeRelationship[];
}

export interface Operation {
  role: string;
  operation_name: string;
  operation_type: string;
  count: number;
  errors: number;
  seconds: number;
  buckets: number[];
}

export interface PauseCleanupsArgs {
}

export interface PauseCronTriggersArgs {
}

export interface PauseEventTriggersArgs {
}

export interface PermissionDeletePermission {
  role: string;
  permission: DeletePermission | DeletePermission[];
  comment?: string;
}

export interface PermissionInsertPermission {
  role: string;
  permission: InsertPermission | InsertPermission[];
  comment?: string;
}

export interface PermissionSelectPermission {
  role: string;
  permission: SelectPermission | SelectPermission[];
  comment?: string;
}

export interface PermissionUpdatePermission {
  role: string;
  permission: UpdatePermission | UpdatePermission[];
  comment?: string;
}

export interface Prompt {
  name: string;
  title?: string;
  description?: string;
  text: string;
  arguments?: PromptArgument[];
}

export interface PromptArgument {
  name: string;
  description?: string;
  required?: boolean;
}

export interface PublishChangesArgs {
  source?: string;
  replace?: boolean;
  name: string;
  tables: Name[];
  role: string;
  session_variables?: Record<string, string>;
  max_bytes?: number;
}

export interface PublishedChanges {
  name: string;
  tables: Name[];
  role: string;
  session_variables?: Record<string, string>;
  max_bytes?: number;
}

export interface QueryCollection {
  name: string;
  definition: CollectionDefinition;
  comment?: string;
  client?: CollectionClient;
  rest?: boolean;
}

export interface QueryReference {
  collection_name: string;
  query_name: string;
}

export interface RESTEndpoint {
  comment: string;
  definition: EndpointDefinition;
  methods: string[];
  name: string;
  url: string;
}

export interface Rate {
  max_reqs_per_min: number;
  unique_params?: "IP" | string[];
}

export interface RedeliverEventArgs {
  source?: string;
  event_id: string;
}

export interface Reference {
  name: string;
  table: Name;
  columns: string[];
  foreign_columns: string[];
}

export interface Relationship {
  name: string;
  using: Json;
  comment?: string;
}

export interface ReloadMetadataArgs {
  reload_remote_schemas?: boolean | string[];
  reload_sources?: boolean | string[];
  reload_data_connectors?: boolean | string[];
  recreate_event_triggers?: boolean | string[];
}

export interface ReloadRemoteSchemaArgs {
  name: string;
}

export interface RemoteCustomization {
  root_fields_namespace?: string;
  type_names?: RemoteTypeNames;
  field_names?: RemoteFieldNames[];
}

export interface RemoteFieldNames {
  parent_type: string;
  prefix?: string;
  suffix?: string;
  mapping?: Record<string, string>;
}

export interface RemoteRelationship {
  name: string;
  definition: Json;
}

export interface RemoteSchema {
  name: string;
  definition: RemoteSchemaDefinition;
  comment?: string;
  permissions?: RemoteSchemaPermission[];
  remote_relationships?: RemoteTypeRelationships[];
}

export interface RemoteSchemaDefinition {
  url?: string;
  url_from_env?: string;
  timeout_seconds?: number;
  customization?: RemoteCustomization;
  headers?: Header[];
  forward_client_headers?: boolean;
}

export interface RemoteSchemaPermission {
  role: string;
  definition: RemoteSchemaPermissionDefinition;
  comment?: string;
}

export interface RemoteSchemaPermissionDefinition {
  schema: string;
}

export interface RemoteTypeNames {
  prefix?: string;
  suffix?: string;
  mapping?: Record<string, string>;
}

export interface RemoteTypeRelationships {
  type_name: string;
  relationships: RemoteRelationship[];
}

export interface RemoveRemoteSchemaArgs {
  name: string;
  cascade?: boolean;
}

export interface RenameQueryCollectionArgs {
  name: string;
  new_name: string;
}

export interface RenameRelationshipArgs {
  source?: string;
  table: Name;
  name: string;
  new_name: string;
}

export interface RenameSourceArgs {
  name: string;
  new_name: string;
}

export interface ReplaceMetadataArgs {
  allow_inconsistent_metadata?: boolean;
  allow_warnings?: boolean;
  metadata: Json;
  vendor_names?: string;
  dry_run?: boolean;
}

export interface ResumeCleanupsArgs {
}

export interface ResumeCronTriggersArgs {
}

export interface ResumeEventTriggersArgs {
}

export interface RollbackMetadataArgs {
  version: number;
  allow_inconsistent_metadata?: boolean;
  dry_run?: boolean;
}

export interface RootFieldsCustomization {
  namespace?: string;
  prefix?: string;
  suffix?: string;
}

export interface Sample {
  name: string;
  labels?: Record<string, string>;
  value: number;
  count?: number;
}

export interface ScalarType {
  name: string;
  description?: string;
}

export interface ScheduleRetry {
  num_retries?: number;
  retry_interval_seconds?: number;
  timeout_seconds?: number;
  tolerance_seconds?: number;
}

export interface ScheduledOrder {
  column: string;
  type?: string;
  nulls?: string;
}

export interface SelectPermission {
  name?: string;
  columns: "*" | string[];
  mask?: Record<string, Json>;
  computed_fields?: string[];
  filter: Json;
  limit?: number;
  allow_aggregations?: boolean;
  query_root_fields?: string[];
  subscription_root_fields?: string[];
}

export interface SetAPILimitsArgs {
  disabled?: boolean;
  depth_limit?: Limitint;
  node_limit?: Limitint;
  time_limit?: LimitSeconds;
  batch_limit?: Limitint;
  rate_limit?: LimitRate;
  bytes_limit?: Limitint64;
}

export interface SetApolloFederationArgs {
  source?: string;
  table: Name;
  apollo_federation_config?: Json;
}

export interface SetCatalogStateArgs {
  type: string;
  state: Json;
  previous?: Json;
}

export interface SetCustomTypesArgs {
  input_objects?: InputObjectType[];
  objects?: ObjectType[];
  scalars?: ScalarType[];
  enums?: EnumType[];
}

export interface SetDocumentRulesArgs {
  default?: string;
  roles?: Record<string, string>;
}

export interface SetFunctionCustomizationArgs {
  source?: string;
  function: Name;
  configuration: FunctionConfiguration;
}

export interface SetGraphQLIntrospectionArgs {
  disabled_for_roles: string[];
}

export interface SetMetricsConfigArgs {
  analyze_query_variables: boolean;
  analyze_response_body: boolean;
}

export interface SetOpenTelemetryConfigArgs {
  status?: string;
  data_types?: string[];
  exporter_otlp?: OTLPExporter;
  batch_span_processor?: SpanProcessor;
}

export interface SetOpenTelemetryStatusArgs {
}

export interface SetPermissionCommentArgs {
  source?: string;
  table: Name;
  role: string;
  permission: string;
  comment?: string;
}

export interface SetQueryTagsArgs {
  source_name: string;
  disabled?: boolean;
  format?: string;
  omit_request_id?: boolean;
}

export interface SetRelationshipCommentArgs {
  source?: string;
  table: Name;
  relationship: string;
  comment?: string;
}

export interface SetTableCustomizationArgs {
  source?: string;
  table: Name;
  configuration: TableConfiguration;
}

export interface SetTableIsEnumArgs {
  source?: string;
  table: Name;
  is_enum: boolean;
}

export interface Source {
  name: string;
  kind: string;
  tables: Table[];
  functions?: Function[];
  native_queries?: NativeQuery[];
  stored_procedures?: StoredProcedure[];
  logical_models?: LogicalModel[];
  published_changes?: PublishedChanges[];
  configuration: Json;
  query_tags?: Json;
  customization?: Customization;
  health_check?: Json;
}

export interface SpanProcessor {
  max_export_batch_size?: number;
}

export interface StoredProcedure {
  stored_procedure: Name;
  configuration: StoredProcedureConfiguration;
  arguments?: Record<string, NativeQueryArgument>;
  returns: string;
  description?: string;
}

export interface StoredProcedureConfiguration {
  exposed_as: string;
  custom_name?: string;
}

export interface StoredQuery {
  name: string;
  query: string;
  id?: string;
  tool?: DocumentTool;
}

export interface SuggestRelationshipsArgs {
  source?: string;
  tables?: Name[];
  omit_tracked?: boolean;
}

export interface Table {
  table: Name;
  is_enum?: boolean;
  configuration?: TableConfiguration;
  object_relationships?: Relationship[];
  array_relationships?: Relationship[];
  computed_fields?: ComputedField[];
  remote_relationships?: RemoteRelationship[];
  insert_permissions?: PermissionInsertPermission[];
  select_permissions?: PermissionSelectPermission[];
  update_permissions?: PermissionUpdatePermission[];
  delete_permissions?: PermissionDeletePermission[];
  event_triggers?: Json[];
  apollo_federation_config?: Json;
  logical_model?: string;
}

export interface TableConfiguration {
  column_config: Record<string, ColumnConfig>;
  comment?: string;
  custom_column_names: Record<string, string>;
  custom_name?: string;
  custom_root_fields: Record<string, string | { name?: string; comment?: string }>;
}

export interface TableDescription {
  name: Name;
  kind: string;
  description?: string;
  columns: ColumnDefinition[];
  constraints: Definition[];
  referenced_by: Reference[];
  indexes: Index[];
  triggers: Trigger[];
  estimated_rows?: number;
  missing?: string;
  enum_refusal?: string;
}

export interface TestConnectionTemplateArgs {
  source_name?: string;
  request_context: Json;
  connection_template?: ConnectionTemplate;
}

export interface TestWebhookTransformArgs {
  webhook_url: WebhookAddress;
  body: Json;
  request_transform: Json;
  response_transform?: Json;
  env?: Record<string, string>;
  request_headers?: HeaderPair[];
  session_variables?: Record<string, string>;
  method?: string;
  response?: TestedAnswer;
  show_paths?: boolean;
}

export interface TestedAnswer {
  status?: number;
  body: Json;
}

export interface Times {
  count: number;
  seconds: number;
  bounds: number[];
  buckets: number[];
}

export interface TrackFunctionArgs {
  source?: string;
  function: Name;
  configuration?: FunctionConfiguration;
  comment?: string;
}

export interface TrackLogicalModelArgs {
  source: string;
  name: string;
  description?: string;
  fields: LogicalModelField[];
}

export interface TrackNativeQueryArgs {
  source: string;
  root_field_name: string;
  code: string;
  arguments?: Record<string, NativeQueryArgument>;
  returns: Json;
  object_relationships?: NativeQueryRelationship[];
  array_relationships?: NativeQueryRelationship[];
  description?: string;
}

export interface TrackTable {
  source?: string;
  table: Name;
  is_enum?: boolean;
  configuration?: TableConfiguration;
  apollo_federation_config?: Json;
  logical_model?: string;
}

export interface TrackTableArgs {
  source?: string;
  table: Name;
  is_enum?: boolean;
  configuration?: TableConfiguration;
  apollo_federation_config?: Json;
  logical_model?: string;
}

export interface TrackTablesArgs {
  tables: TrackTable[];
  allow_warnings?: boolean;
  source?: string;
}

export interface Trigger {
  name: string;
  disabled?: boolean;
  definition?: string;
}

export interface TriggerCalls {
  kind: string;
  source: string;
  trigger: string;
  calls: number;
  failed: number;
  delivery: Times;
  queue: Times;
  webhook: Times;
  cleanups?: CleanUps;
}

export interface TypeRelationship {
  name: string;
  type: string;
  source?: string;
  remote_table: Name;
  field_mapping: Record<string, string>;
}

export interface UnpublishChangesArgs {
  source?: string;
  name: string;
}

export interface UntrackFunctionArgs {
  source?: string;
  function: Name;
}

export interface UntrackLogicalModelArgs {
  source: string;
  name: string;
}

export interface UntrackNativeQueryArgs {
  source: string;
  root_field_name: string;
}

export interface UntrackTable {
  source?: string;
  table: Name;
  cascade?: boolean;
}

export interface UntrackTableArgs {
  source?: string;
  table: Name;
  cascade?: boolean;
}

export interface UntrackTablesArgs {
  tables: UntrackTable[];
  allow_warnings?: boolean;
}

export interface UpdateActionArgs {
  name: string;
  definition: ActionDefinition;
  comment?: string;
}

export interface UpdatePermission {
  name?: string;
  columns: "*" | string[];
  filter: Json;
  check: Json;
  set?: Json;
  backend_only?: boolean;
  validate_input?: Json;
}

export interface UpdateRemoteRelationshipArgs {
}

export interface UpdateRemoteSchemaArgs {
  name: string;
  definition: RemoteSchemaDefinition;
  comment?: string;
}

export interface UpdateRemoteTypeRelationshipArgs {
  remote_schema: string;
  type_name: string;
  name: string;
  definition: Json;
}

export interface UpdateScopeInAllowlistArgs {
  collection: string;
  scope: AllowlistScope;
}

export interface UpdateSourceArgs {
  name: string;
  configuration?: Json;
  customization?: Customization;
  health_check?: Json;
}

export interface WebhookAddress {
}

/** The arguments of the operations that belong to no kind of sources. */
export interface Operations {
  add_collection_to_allowlist: AddCollectionToAllowlistArgs;
  add_host_to_tls_allowlist: AddTLSHostArgs;
  add_inherited_role: AddInheritedRoleArgs;
  add_query_to_collection: AddQueryToCollectionArgs;
  add_remote_schema: AddRemoteSchemaArgs;
  add_remote_schema_permissions: AddRemoteSchemaPermissionsArgs;
  bulk: BulkArgs;
  bulk_atomic: BulkArgs;
  bulk_keep_going: BulkArgs;
  cleanup_event_trigger_logs: CleanupEventLogsArgs;
  clear_metadata: Json;
  count_scheduled_event_invocations: CountScheduledEventInvocationsArgs;
  create_action: CreateActionArgs;
  create_action_permission: CreateActionPermissionArgs;
  create_cron_trigger: CreateCronTriggerArgs;
  create_query_collection: CreateQueryCollectionArgs;
  create_remote_schema_remote_relationship: CreateRemoteTypeRelationshipArgs;
  create_rest_endpoint: CreateRESTEndpointArgs;
  create_scheduled_event: CreateScheduledEventArgs;
  delete_cron_trigger: DeleteCronTriggerArgs;
  delete_remote_schema_remote_relationship: DeleteRemoteTypeRelationshipArgs;
  delete_scheduled_event: DeleteScheduledEventArgs;
  diff_metadata_versions: DiffMetadataVersionsArgs;
  drop_action: DropActionArgs;
  drop_action_permission: DropActionPermissionArgs;
  drop_collection_from_allowlist: DropCollectionFromAllowlistArgs;
  drop_host_from_tls_allowlist: DropTLSHostArgs;
  drop_inconsistent_metadata: Json;
  drop_inherited_role: DropInheritedRoleArgs;
  drop_query_collection: DropQueryCollectionArgs;
  drop_query_from_collection: DropQueryFromCollectionArgs;
  drop_remote_schema_permissions: DropRemoteSchemaPermissionsArgs;
  drop_rest_endpoint: DropRESTEndpointArgs;
  dump_internal_state: Json;
  explain_permissions: ExplainPermissionsArgs;
  export_metadata: ExportMetadataArgs;
  get_catalog_state: Json;
  get_cron_triggers: Json;
  get_inconsistent_metadata: GetInconsistentMetadataArgs;
  get_scheduled_event_invocations: GetScheduledEventInvocationsArgs;
  get_scheduled_events: GetScheduledEventsArgs;
  get_source_kind_capabilities: GetSourceKindCapabilitiesArgs;
  get_status: Json;
  get_table_info: GetAgentTableInfoArgs;
  import_documents: ImportDocumentsArgs;
  introspect_remote_schema: IntrospectRemoteSchemaArgs;
  list_metadata_versions: ListMetadataVersionsArgs;
  list_source_kinds: Json;
  pause_cron_triggers: PauseCronTriggersArgs;
  pause_event_trigger_cleanups: PauseCleanupsArgs;
  pause_event_triggers: PauseEventTriggersArgs;
  reload_metadata: ReloadMetadataArgs;
  reload_remote_schema: ReloadRemoteSchemaArgs;
  remove_api_limits: Json;
  remove_metrics_config: Json;
  remove_remote_schema: RemoveRemoteSchemaArgs;
  rename_query_collection: RenameQueryCollectionArgs;
  rename_source: RenameSourceArgs;
  replace_metadata: ReplaceMetadataArgs;
  resume_cron_triggers: ResumeCronTriggersArgs;
  resume_event_trigger_cleanups: ResumeCleanupsArgs;
  resume_event_triggers: ResumeEventTriggersArgs;
  rollback_metadata: RollbackMetadataArgs;
  set_api_limits: SetAPILimitsArgs;
  set_catalog_state: SetCatalogStateArgs;
  set_custom_types: SetCustomTypesArgs;
  set_document_rules: SetDocumentRulesArgs;
  set_graphql_schema_introspection_options: SetGraphQLIntrospectionArgs;
  set_metrics_config: SetMetricsConfigArgs;
  set_opentelemetry_config: SetOpenTelemetryConfigArgs;
  set_opentelemetry_status: SetOpenTelemetryStatusArgs;
  set_query_tags: SetQueryTagsArgs;
  test_webhook_transform: TestWebhookTransformArgs;
  update_action: UpdateActionArgs;
  update_remote_schema: UpdateRemoteSchemaArgs;
  update_remote_schema_remote_relationship: UpdateRemoteTypeRelationshipArgs;
  update_scope_of_collection_in_allowlist: UpdateScopeInAllowlistArgs;
}

/** The arguments of those whose names have the prefix of a kind of sources. */
export interface SourceOperations {
  add_computed_field: AddComputedFieldArgs;
  add_source: AddSourceArgs;
  count_event_invocations: CountEventInvocationsArgs;
  create_array_relationship: CreateArrayRelationshipArgs;
  create_delete_permission: CreatePermissionDeletePermissionArgs;
  create_event_trigger: CreateEventTriggerArgs;
  create_function_permission: CreateFunctionPermissionArgs;
  create_insert_permission: CreatePermissionInsertPermissionArgs;
  create_logical_model_select_permission: CreateLogicalModelPermissionArgs;
  create_object_relationship: CreateRelationshipArgs;
  create_remote_relationship: CreateRemoteRelationshipArgs;
  create_select_permission: CreatePermissionSelectPermissionArgs;
  create_update_permission: CreatePermissionUpdatePermissionArgs;
  delete_event_trigger: DeleteEventTriggerArgs;
  delete_remote_relationship: DeleteRemoteRelationshipArgs;
  describe_table: DescribeTableArgs;
  drop_computed_field: DropComputedFieldArgs;
  drop_delete_permission: DropPermissionDeletePermissionArgs;
  drop_function_permission: DropFunctionPermissionArgs;
  drop_insert_permission: DropPermissionInsertPermissionArgs;
  drop_logical_model_select_permission: DropLogicalModelPermissionArgs;
  drop_relationship: DropRelationshipArgs;
  drop_select_permission: DropPermissionSelectPermissionArgs;
  drop_source: DropSourceArgs;
  drop_update_permission: DropPermissionUpdatePermissionArgs;
  get_event_by_id: GetEventByIDArgs;
  get_event_invocation_logs: GetEventInvocationLogsArgs;
  get_event_logs: GetEventLogsArgs;
  get_logical_model: GetLogicalModelArgs;
  get_native_query: GetNativeQueryArgs;
  get_source_functions: GetSourceFunctionsArgs;
  get_source_tables: GetSourceTablesArgs;
  get_source_trackables: GetSourceTrackablesArgs;
  get_table_info: GetTableInfoArgs;
  invoke_event_trigger: InvokeEventTriggerArgs;
  publish_changes: PublishChangesArgs;
  redeliver_event: RedeliverEventArgs;
  rename_relationship: RenameRelationshipArgs;
  set_apollo_federation_config: SetApolloFederationArgs;
  set_function_customization: SetFunctionCustomizationArgs;
  set_permission_comment: SetPermissionCommentArgs;
  set_relationship_comment: SetRelationshipCommentArgs;
  set_table_customization: SetTableCustomizationArgs;
  set_table_is_enum: SetTableIsEnumArgs;
  suggest_relationships: SuggestRelationshipsArgs;
  test_connection_template: TestConnectionTemplateArgs;
  track_function: TrackFunctionArgs;
  track_logical_model: TrackLogicalModelArgs;
  track_native_query: TrackNativeQueryArgs;
  track_table: TrackTableArgs;
  track_tables: TrackTablesArgs;
  unpublish_changes: UnpublishChangesArgs;
  untrack_function: UntrackFunctionArgs;
  untrack_logical_model: UntrackLogicalModelArgs;
  untrack_native_query: UntrackNativeQueryArgs;
  untrack_table: UntrackTableArgs;
  untrack_tables: UntrackTablesArgs;
  update_remote_relationship: UpdateRemoteRelationshipArgs;
  update_source: UpdateSourceArgs;
}
