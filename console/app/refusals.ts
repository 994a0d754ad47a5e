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
    not_a_domain: 'not a domain, such as acme.example',
    too_much_stored: 'the storage of the plan is full',
  },
)
