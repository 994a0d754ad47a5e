import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Role } from './access.ts'

/** The tables of SCIM provisioning. */
export interface ScimTables {
  /** A user that an organization's directory provisions. */
  scim_user: {
    id: Id<'scimUser'>
    organization_id: Id<'organization'>
    /** The account of its membership; null while it is not admitted. */
    account_id: Id<'account'> | null
    external_id: string | null
    user_name: string
    /** `user_name` in lower case. */
    user_name_key: string
    display_name: string | null
    display_name_key: string | null
    given_name: string | null
    family_name: string | null
    formatted_name: string | null
    /** Normalised. */
    email: string
    email_type: string | null
    /** The directory's value; null: not given. */
    email_primary: 0 | 1 | null
    active: 0 | 1
    /** Whether a group has assigned the current role. */
    role_given: 0 | 1
    created_at: Millis
    updated_at: Millis
  }
  /** A group of such users, and the role that it assigns. */
  scim_group: {
    id: Id<'scimGroup'>
    organization_id: Id<'organization'>
    external_id: string | null
    display_name: string
    display_name_key: string
    /** null: it assigns none; `member` where `role_id` is set. */
    role: Role | null
    role_id: Id<'role'> | null
    /** Of several groups of a user, the one with the highest value assigns the role. */
    priority: number
    created_at: Millis
    updated_at: Millis
  }
  scim_group_member: {
    group_id: Id<'scimGroup'>
    user_id: Id<'scimUser'>
    organization_id: Id<'organization'>
  }
  /** The provisioning settings of an organization; defaults apply without a row. */
  scim_setting: {
    organization_id: Id<'organization'>
    /** Whether a deprovisioned person's API keys end too. */
    end_keys: 0 | 1
    /** A number of memberships in groups that the organization does not exceed; null: unknown. */
    most_places: number | null
  }
  /** A request of a directory, and how it was answered. It holds no value that the directory sent, but ids of Postern. */
  scim_exchange: {
    organization_id: Id<'organization'>
    id: Id<'scimExchange'>
    method: string
    /** Without values: `/scim/v2/Users?filter=userName eq …`. */
    path: string
    status: number
    /** The code of the catalogue, `scimType` and `detail` of RFC 7644 3.12; null where there is none. */
    code: string | null
    scim_type: string | null
    detail: string | null
    /** The user or group that the request named or created. */
    resource_id: Id<'scimUser'> | Id<'scimGroup'> | null
    /** In whole milliseconds. */
    duration: number
    /** When the request arrived. */
    created_at: Millis
  }
  /** Former secrets of rotated API keys, which are kept for some days beyond their end to name the requests that still use them. */
  retired_secret: {
    organization_id: Id<'organization'>
    api_key_id: Id<'apiKey'>
    key_hash: string
    /** The end of its overlap. */
    ended_at: Millis
    /** The last recorded request with it after that; null: none. */
    refused_at: Millis | null
  }
}
