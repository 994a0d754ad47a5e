import { addReasons } from './words.ts'

/** Words for what the server refuses in forms and dialogs, which load this. */
addReasons(
  {
    step_up_required: {
      title: 'This needs a second factor',
      text: 'Try again and confirm with a code, or sign in again.',
    },
    wrong_factor: { title: 'Wrong code', text: 'Wait for the next one.' },
    no_second_factor: {
      title: 'You have no second factor yourself',
      text: 'Add one under Your account first.',
    },
    role_in_use: {
      title: 'Members or pending invitations have this role',
      text: 'Give them another role, or revoke these invitations, first.',
    },
    last_administrator: {
      title: 'An organization would have no administrator',
      text: 'Another member can become administrator first.',
    },
    all_permissions_required: {
      title: 'Only a person with all permissions can do this',
      text: 'It can give every role, that of an administrator included.',
    },
    person_required: {
      title: 'A person must do this',
      text: 'A key cannot say who becomes an administrator.',
    },
    sign_in_required: {
      title: 'Members must sign in by this provider',
      text: 'Add another one first, or end the required sign-in.',
    },
    last_exception: {
      title: 'This is the last exception from the required sign-in',
      text: 'Name another administrator first.',
    },
    member_elsewhere: {
      title: 'The person is a member of another organization, too',
      text: 'Only the operator of this server can do this then.',
    },
    too_many_setup_links: {
      title: 'Ten setup links are open already',
      text: 'Revoke one under Identity providers first.',
    },
    setup_under_way: {
      title: 'A setup link can still change this provider',
      text: 'Wait until it is finished, or revoke it first.',
    },
    proven_elsewhere: {
      title: 'Another organization has proven this domain',
      text: 'It keeps it until its record is gone or it removes the domain.',
    },
  },
  {
    'must NOT have fewer than 1 items': 'choose at least one',
    'must NOT have fewer than 1 characters': 'this is needed',
    MISSING_REQUIRED_FIELD: 'this is needed',
    TYPE_MISMATCH: 'wrong format',
    INVALID_EMAIL: 'not an e-mail address',
    DUPLICATE: 'this exists already',
    unknown_event_type: 'this event type is not registered',
    not_yours: 'this belongs to somebody else',
    no_second_factor: 'one of them needs a second factor',
    not_an_administrator: 'each must be an administrator',
    shared_issuer: 'this issuer serves every organization; use the one of your tenant',
    not_an_issuer: 'not an issuer',
    not_https: 'it must begin with https',
    fragment: 'it must not contain a #',
    scheme: 'it must be https, or http of this machine',
    credentials: 'it must not contain a user name',
    not_a_domain: 'not a domain, such as acme.example',
    too_much_stored: 'the storage of the plan is full',
  },
)
