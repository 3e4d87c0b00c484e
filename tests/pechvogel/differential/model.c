/* Pechvogel a third time, in C: fast enough to be compared with the engine over a thousand million decisions.

   Written from the rules page (docs/rules.md: R1-R22, Q1-Q8); it shares no code and no tables with the engine.
   Where the engine keeps sums, this model keeps things: markers lie in places and move between them, and the dice of
   the last throw stay apart from those that were on the board before it, so that to repeat a throw is to forget it.

   Two things are not rules but the way in which the engine asks and shows, and had to be known:
   - the numbers of actions, questions and faces, the record in which a position is shown (FIELDS), and the rewards;
   - that nothing is skipped: after every throw the active player is asked to reduce, then every opponent to
     frustrate, and after a start every other opponent to join, also where they can only pass.

   PLANTED (-DPLANTED=R13_NO_EXTRA) gets one rule wrong on purpose: the comparison must notice. */

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------ planted mistakes */

enum planted {
    NOTHING,
    R2_ONE_COPY_LESS,
    R3_THIRTEEN_IN_ALL,
    R4_FIRST_PLAYER_HAS_MURPHY,
    R5_COUNTERCLOCKWISE,
    R6_ONE_DIE_ONLY,
    R7_RAVENS_OF_FIRST_THROW_DO_NOT_COUNT,
    R8_EMPTY_THROW_ENDS_TURN,
    R9_FIVE_TARGETS,
    R9_FOUR_RAVENS,
    R9_FOUR_ALIKE_ARE_NO_TARGET,
    R10_STEAL_ONLY_WHAT_THE_MIDDLE_LACKS,
    R10_NEVER_HAS_TO_STEAL,
    R10_NO_DISCARD,
    R11_ONE_ONLY,
    R11_SUPPLY_TOO,
    R12_FOUR_TARGETS_ARE_GREEDY,
    R12_ONLY_WITH_A_MARKER,
    R12_ONLY_FROM_NOBODY,
    R13_NO_EXTRA,
    R13_ALL_FROM_SUPPLY,
    R13_DEBTS,
    R13_ONLY_THE_STARTER,
    R14_TWICE,
    R14_TO_THE_BOARD,
    R15_EVERY_THROW,
    R15_NOBODY_JOINS,
    R16_BOARD_STAYS,
    R17_OPPONENTS_TOO,
    R18A_FIRST_THROW,
    R18B_GREEDY_THROW,
    R18C_EMPTY_THROW,
    R19_LAST_THROW_IS_SAFE,
    R20_WITH_THE_TAKING,
    R21_MURPHY_ON_TOP,
    R22_FIRST_OF_TIED,
    Q1_OPPONENTS_FIRST,
    Q2_FROM_THE_RIGHT,
    Q2_DECLINED_STAY_OUT,
    Q2_JOIN_FROM_ACTIVE,
    Q3_BOTH_READINGS,
    Q3_REST_OF_TURN,
    Q5_LAST_TURN_IS_FREE
};

#ifndef PLANTED
#define PLANTED NOTHING
#endif
#define WRONG(mistake) (PLANTED == (mistake))

/* --------------------------------------------------------------------------------------------------- the table */

enum { MAX_PLAYERS = 5, DICE = 7 }; /* R1 */

/* Faces are their own numbers. No die shows 1, so a turn without a target has the target 1: nothing ever counts. */
enum { RAVEN = 0, NO_TARGET = 1, LOWEST = 3, HIGHEST = 7, VALUES = 5 };

/* Where markers lie: in front of seat 0..4, or here. */
enum { MIDDLE = MAX_PLAYERS, BOX, PLACES };

enum question { TARGET, REDUCE, FRUSTRATE, JOIN, TAKE, DISCARD, THROW, OVER };

enum action { SAY_TARGET = 0, SAY_PASS = 5, SAY_REDUCE, SAY_FRUSTRATE, SAY_TAKE, SAY_STEAL = 9, SAY_DISCARD = 13 };

enum { NOBODY = -1, NO_DIE = -1 };

/* What should happen often in the games that are compared; counted to show that it does. */
#define RARE(F)                                                                                                        \
    F(three_ravens_at_once) F(three_ravens_and_four_alike) F(greedy_for_targets) F(greedy_for_ravens)                  \
    F(murphy_changed_hands) F(two_frustrated) F(three_frustrated) F(four_frustrated) F(joined_after_declining)         \
    F(reduced_and_frustrated) F(took_several_frustrations) F(failed_to_frustrate) F(supply_made_up_for_active)         \
    F(stole) F(had_to_steal) F(no_marker_to_get) F(greedy_without_marker) F(emptied_by_discard)                        \
    F(last_turn_moved_frustrations) F(italian_rethrow_was_safe) F(tied)

#define ENUM(name) name,
enum rare { RARE(ENUM) NUM_RARE };

typedef struct {
    int players, copies, italian;

    int8_t markers[PLACES][VALUES];    /* how many of a value lie in a place: see markers() */
    int32_t frustrations[MAX_PLAYERS]; /* in front of a seat */
    int murphy;                        /* a seat, or NOBODY */
    int active;
    int turns; /* finished */

    /* The turn. */
    int target;
    int kept_targets, kept_ravens;       /* on the board before the last throw */
    uint64_t fallen;                     /* the last throw, a byte per face: see fallen(); 0 once it is taken back */
    int8_t faces[DICE];                  /* the same dice in the order thrown */
    int num_fallen;                      /* how many they are */
    int throws;                          /* made in this turn */
    int answerable;                      /* R18: whether frustrations may answer the last throw */
    int reduced;                         /* R14 is used up */
    int repeats_reduced;                 /* Q3: the last (or coming) throw repeats one that was reduced */
    int8_t frustraters[MAX_PLAYERS - 1]; /* seats with a frustration on the board, in the order in which they came */
    int num_frustraters;
    int declined; /* opponents who were asked to start before the one who did */

    enum question question;
    int asked;        /* a seat, or NOBODY */
    int still_to_ask; /* opponents whom the question has not reached yet */

    int64_t rare[NUM_RARE];
} Table;

static int left_of(const Table *t, int seat) /* R5: clockwise */
{
    if (WRONG(R5_COUNTERCLOCKWISE))
        return seat > 0 ? seat - 1 : t->players - 1;
    return seat + 1 < t->players ? seat + 1 : 0;
}

static int fallen(const Table *t, int face) /* how many dice of the last throw show a face */
{
    return (int)(t->fallen >> 8 * face & 0xFF);
}

static int targets(const Table *t) { return t->kept_targets + fallen(t, t->target); }

static int ravens(const Table *t) { return t->kept_ravens + fallen(t, RAVEN); }

static int enough_targets(const Table *t) { return targets(t) >= (WRONG(R9_FIVE_TARGETS) ? 5 : 4); } /* R9 */

static int enough_ravens(const Table *t) { return ravens(t) >= (WRONG(R9_FOUR_RAVENS) ? 4 : 3); } /* R9 */

static int greedy(const Table *t) /* R12, R18 (b) */
{
    return (targets(t) > (WRONG(R12_FOUR_TARGETS_ARE_GREEDY) ? 3 : 4)) | (ravens(t) > 3);
}

static int markers(const Table *t, int place, int value) { return t->markers[place][value - LOWEST]; }

static int markers_in_middle(const Table *t)
{
    int count = 0;
    for (int value = LOWEST; value <= HIGHEST; value++)
        count += markers(t, MIDDLE, value);
    return count;
}

static int frustrations_in_all(const Table *t)
{
    int count = t->num_frustraters;
    for (int seat = 0; seat < t->players; seat++)
        count += t->frustrations[seat];
    return count;
}

static void move_marker(Table *t, int value, int from, int to)
{
    t->markers[from][value - LOWEST]--;
    t->markers[to][value - LOWEST]++;
}

/* ------------------------------------------------------------------------------------------------------- a turn */

static void ask(Table *t, enum question question, int seat)
{
    t->question = question;
    t->asked = seat;
}

static void await_throw(Table *t, int repeats_reduced)
{
    if (!WRONG(Q3_REST_OF_TURN) || repeats_reduced || !t->reduced)
        t->repeats_reduced = repeats_reduced;
    ask(t, THROW, NOBODY);
}

static void forget_throw(Table *t)
{
    t->fallen = 0;
    memset(t->faces, NO_DIE, sizeof t->faces);
    t->num_fallen = 0;
}

static void start_turn(Table *t, int seat)
{
    t->active = seat;
    t->target = NO_TARGET;
    t->kept_targets = t->kept_ravens = 0;
    forget_throw(t);
    t->throws = 0;
    t->reduced = 0;
    t->num_frustraters = 0;
    await_throw(t, 0);
}

static void start_game(Table *t, int players, int copies, int italian, int first_player)
{
    memset(t, 0, offsetof(Table, rare)); /* R3: no frustrations */
    t->players = players;
    t->copies = copies;
    t->italian = italian;
    for (int value = LOWEST; value <= HIGHEST; value++)
        t->markers[MIDDLE][value - LOWEST] = (int8_t)copies; /* R2 */
    if (WRONG(R2_ONE_COPY_LESS))
        t->markers[MIDDLE][HIGHEST - LOWEST]--;
    t->murphy = WRONG(R4_FIRST_PLAYER_HAS_MURPHY) ? first_player : NOBODY; /* R4 */
    start_turn(t, first_player);
}

static int dice_to_throw(const Table *t) /* R6, R8, R16: all that don't lie on the board */
{
    return DICE - targets(t) - ravens(t);
}

static int answerable(const Table *t) /* R18 */
{
    if (WRONG(R19_LAST_THROW_IS_SAFE) && (enough_targets(t) || enough_ravens(t)))
        return 0; /* R19: whether it ends the turn does not matter */
    int first = t->throws == 1 && !WRONG(R18A_FIRST_THROW); /* (a): it is never repeated, so no other is the first */
    int is_greedy = greedy(t) && !WRONG(R18B_GREEDY_THROW); /* (b) */
    int empty = fallen(t, RAVEN) + fallen(t, t->target) == 0 && !WRONG(R18C_EMPTY_THROW); /* (c) */
    return !(first | is_greedy | empty);
}

/* The dice fall: the first of seven, as many as there are to throw. */
static void throw_dice(Table *t, const int8_t *dice)
{
    int number = dice_to_throw(t);
    t->kept_targets += fallen(t, t->target); /* the throw before is final now */
    t->kept_ravens += fallen(t, RAVEN);
    t->fallen = 0;
    for (int k = 0; k < DICE; k++) { /* without a branch: nobody can predict how many dice are left */
        t->faces[k] = k < number ? dice[k] : NO_DIE;
        t->fallen += (uint64_t)(k < number) << 8 * dice[k]; /* R7: for ravens() and targets() they are on the board */
    }
    t->num_fallen = number;
    t->throws++;
    t->answerable = answerable(t);

    if (t->throws == 1) {
        if (WRONG(R7_RAVENS_OF_FIRST_THROW_DO_NOT_COUNT))
            t->kept_ravens = -fallen(t, RAVEN);
        if (!enough_ravens(t)) {
            ask(t, TARGET, t->active); /* R6 */
            return;
        }
        t->rare[three_ravens_at_once]++;
        for (int value = LOWEST; value <= HIGHEST; value++) /* the ruling after R9 */
            if (ravens(t) == 3 && fallen(t, value) == 4 && !WRONG(R9_FOUR_ALIKE_ARE_NO_TARGET)) {
                t->target = value;
                t->rare[three_ravens_and_four_alike]++;
            }
    }
    ask(t, REDUCE, t->active); /* Q1 */
    if (WRONG(Q1_OPPONENTS_FIRST))
        ask(t, FRUSTRATE, left_of(t, t->active));
}

static uint32_t ways_to_take(const Table *t) /* R10 */
{
    uint32_t ways = 0;
    if (markers(t, MIDDLE, t->target) > 0)
        ways = 1u << SAY_TAKE;
    if (WRONG(R10_STEAL_ONLY_WHAT_THE_MIDDLE_LACKS) && ways)
        return ways;
    if (WRONG(R10_NEVER_HAS_TO_STEAL) && !ways)
        return 0;
    int seat = t->active;
    for (int k = 0; k < t->players - 1; k++) {
        seat = left_of(t, seat);
        if (markers(t, seat, t->target) > 0)
            ways |= 1u << (SAY_STEAL + k);
    }
    return ways;
}

static void end_turn(Table *t)
{
    int32_t *own = &t->frustrations[t->active];
    int number = t->num_frustraters;
    int over = markers_in_middle(t) == 0; /* R20, but the turn still counts: Q5 */
    int counts = !(WRONG(Q5_LAST_TURN_IS_FREE) && over);

    if (enough_ravens(t) && counts) { /* R11 */
        int taken = number > 0 ? number : 1;
        if (WRONG(R3_THIRTEEN_IN_ALL) && number == 0 && frustrations_in_all(t) >= 13)
            taken = 0; /* R3: the supply never runs out */
        if (WRONG(R11_ONE_ONLY))
            taken = 1;
        if (WRONG(R11_SUPPLY_TOO))
            taken = number + 1;
        *own += taken;
        t->rare[took_several_frustrations] += number > 1;
        t->rare[last_turn_moved_frustrations] += over;
    }

    if (greedy(t) && counts) { /* R12: also where no marker was to be had */
        t->rare[greedy_for_ravens] += ravens(t) > 3;
        t->rare[greedy_for_targets] += targets(t) > 4;
        t->rare[murphy_changed_hands] += t->murphy != NOBODY && t->murphy != t->active;
        if (!(WRONG(R12_ONLY_WITH_A_MARKER) && t->question != TAKE && t->question != DISCARD && targets(t) > 4) &&
            !(WRONG(R12_ONLY_FROM_NOBODY) && t->murphy != NOBODY))
            t->murphy = t->active;
    }

    if (number > 0 && !enough_ravens(t) && counts) { /* R13 */
        for (int k = 0; k < number; k++)
            if (!(WRONG(R13_ONLY_THE_STARTER) && k > 0))
                t->frustrations[t->frustraters[k]] += WRONG(R13_NO_EXTRA) ? 1 : 2; /* and one more; Q4: always */
        int given = *own < number && !WRONG(R13_DEBTS) ? *own : number; /* Q6: the rest is the supply's */
        if (!WRONG(R13_ALL_FROM_SUPPLY) && !WRONG(R13_NO_EXTRA))
            *own -= given;
        t->rare[failed_to_frustrate]++;
        t->rare[supply_made_up_for_active] += given < number;
        t->rare[last_turn_moved_frustrations] += over;
    }
    t->rare[reduced_and_frustrated] += t->reduced && number > 0;

    t->turns++;
    start_turn(t, left_of(t, t->active)); /* the dice go to the player on the left */
    if (over)
        t->question = OVER; /* R20 */
}

/* Nobody answers the last throw. */
static void throw_stands(Table *t)
{
    int empty = fallen(t, RAVEN) + fallen(t, t->target) == 0;
    if (!enough_targets(t) && !enough_ravens(t) && !(WRONG(R8_EMPTY_THROW_ENDS_TURN) && empty)) {
        await_throw(t, 0); /* R8 */
        return;
    }
    if (enough_targets(t)) { /* R10 */
        if (ways_to_take(t)) {
            ask(t, TAKE, t->active);
            return;
        }
        t->rare[no_marker_to_get]++;
        t->rare[greedy_without_marker] += targets(t) > 4;
    }
    end_turn(t);
}

/* ------------------------------------------------------------------------------------------------- frustrations */

static void repeat_throw(Table *t, int reduced) /* R16: all its dice come back, also from the board */
{
    if (WRONG(R16_BOARD_STAYS)) {
        t->kept_targets += fallen(t, t->target);
        t->kept_ravens += fallen(t, RAVEN);
    }
    forget_throw(t);
    await_throw(t, reduced);
}

static int next_opponent(const Table *t, int seat)
{
    seat = left_of(t, seat);
    return seat == t->active ? left_of(t, seat) : seat;
}

static void ask_opponents_to_start(Table *t) /* Q2: clockwise from the active player's left */
{
    t->still_to_ask = t->players - 2;
    t->declined = 0;
    ask(t, FRUSTRATE, left_of(t, t->active));
    if (WRONG(Q2_FROM_THE_RIGHT) && t->active > 0)
        t->asked = t->active - 1;
}

static void ask_next_to_join(Table *t)
{
    if (t->still_to_ask > 0) {
        t->still_to_ask--;
        ask(t, JOIN, next_opponent(t, t->asked));
        if (WRONG(Q2_JOIN_FROM_ACTIVE) && t->asked == t->frustraters[0])
            t->asked = next_opponent(t, t->asked);
        return;
    }
    t->rare[two_frustrated] += t->num_frustraters == 2;
    t->rare[three_frustrated] += t->num_frustraters == 3;
    t->rare[four_frustrated] += t->num_frustraters == 4;
    repeat_throw(t, 0); /* R15: once, however many joined */
}

static void frustrate(Table *t) /* R15: from in front of whoever is asked to the board */
{
    t->frustrations[t->asked]--;
    t->frustraters[t->num_frustraters++] = (int8_t)t->asked;
}

static void start_to_frustrate(Table *t)
{
    if (WRONG(R15_EVERY_THROW))
        t->num_frustraters = 0;
    frustrate(t);
    t->declined = t->players - 2 - t->still_to_ask;
    t->still_to_ask = t->players - 2; /* Q2: every other opponent, also who declined to start */
    if (WRONG(Q2_DECLINED_STAY_OUT))
        t->still_to_ask -= t->declined;
    if (WRONG(Q2_JOIN_FROM_ACTIVE))
        t->asked = t->active;
    if (WRONG(R15_NOBODY_JOINS))
        t->still_to_ask = 0;
    ask_next_to_join(t);
}

static int may_reduce(const Table *t) /* R14 */
{
    return t->frustrations[t->active] > 0 && (!t->reduced || WRONG(R14_TWICE)) && t->answerable;
}

static int may_start(const Table *t) /* R15: once per turn in all */
{
    if (t->frustrations[t->asked] == 0 || !t->answerable || (t->num_frustraters > 0 && !WRONG(R15_EVERY_THROW)))
        return 0;
    return !(t->repeats_reduced && (t->italian || WRONG(Q3_BOTH_READINGS))); /* Q3 */
}

/* ---------------------------------------------------------------------------------------------------- decisions */

/* The legal actions of whoever is asked, as bits. */
static uint32_t legal(const Table *t)
{
    uint32_t bits = 0;
    switch (t->question) {
    case TARGET: /* R6: a number that was thrown */
        for (int value = LOWEST; value <= HIGHEST; value++)
            bits |= (uint32_t)(fallen(t, value) > 0) << (SAY_TARGET + value - LOWEST);
        return bits;
    case REDUCE: /* R14 */
        return 1u << SAY_PASS | (uint32_t)may_reduce(t) << SAY_REDUCE;
    case FRUSTRATE: /* R15; R17: who has reduced is not asked this about the same throw */
        return 1u << SAY_PASS | (uint32_t)may_start(t) << SAY_FRUSTRATE;
    case JOIN: /* R15: all other opponents who have one */
        return 1u << SAY_PASS | (uint32_t)(t->frustrations[t->asked] > 0) << SAY_FRUSTRATE;
    case TAKE: /* R10: not optional */
        return ways_to_take(t);
    case DISCARD: /* R10: one of their choice */
        for (int value = LOWEST; value <= HIGHEST; value++)
            bits |= (uint32_t)(markers(t, MIDDLE, value) > 0) << (SAY_DISCARD + value - LOWEST);
        return bits;
    case THROW:
    case OVER:
        break;
    }
    return 0;
}

/* Whoever is asked says this; it must be legal. */
static void act(Table *t, int action)
{
    switch (t->question) {
    case TARGET:
        t->target = LOWEST + action - SAY_TARGET; /* R6: all dice showing it are on the board, see targets() */
        if (WRONG(R6_ONE_DIE_ONLY))
            t->kept_targets = 1 - fallen(t, t->target);
        ask(t, REDUCE, t->active);
        break;
    case REDUCE:
        if (action == SAY_REDUCE) { /* R14, R17 */
            t->frustrations[t->active]--;
            t->reduced = 1;
            if (WRONG(R14_TO_THE_BOARD) && t->num_frustraters < MAX_PLAYERS - 1)
                t->frustraters[t->num_frustraters++] = (int8_t)t->active;
            repeat_throw(t, 1);
            if (WRONG(R17_OPPONENTS_TOO))
                ask_opponents_to_start(t);
        } else {
            t->rare[italian_rethrow_was_safe] += t->repeats_reduced && t->italian && t->answerable;
            ask_opponents_to_start(t); /* Q1: only now */
        }
        break;
    case FRUSTRATE:
        if (action == SAY_FRUSTRATE) {
            start_to_frustrate(t);
        } else if (t->still_to_ask > 0) {
            t->still_to_ask--;
            ask(t, FRUSTRATE, next_opponent(t, t->asked));
        } else {
            throw_stands(t);
        }
        break;
    case JOIN:
        if (action == SAY_FRUSTRATE) {
            t->rare[joined_after_declining] += t->still_to_ask < t->declined;
            frustrate(t);
        }
        ask_next_to_join(t);
        break;
    case TAKE: /* R10 */
        if (action == SAY_TAKE) {
            move_marker(t, t->target, MIDDLE, t->active);
            end_turn(t);
        } else {
            int victim = t->active;
            for (int k = SAY_STEAL; k <= action; k++)
                victim = left_of(t, victim);
            t->rare[stole]++;
            t->rare[had_to_steal] += markers(t, MIDDLE, t->target) == 0;
            move_marker(t, t->target, victim, t->active);
            if (WRONG(R10_NO_DISCARD))
                end_turn(t);
            else
                ask(t, DISCARD, t->active);
            if (WRONG(R20_WITH_THE_TAKING) && markers_in_middle(t) == 1)
                t->question = OVER;
        }
        break;
    case DISCARD:
        move_marker(t, LOWEST + action - SAY_DISCARD, MIDDLE, BOX);
        t->rare[emptied_by_discard] += markers_in_middle(t) == 0;
        end_turn(t);
        break;
    case THROW:
    case OVER:
        break;
    }
}

/* ------------------------------------------------------------------------------------------------------- results */

static int score(const Table *t, int seat) /* R21 */
{
    int points = 0;
    for (int value = LOWEST; value <= HIGHEST; value++)
        points += value * markers(t, seat, value);
    int cost = t->murphy == seat ? (WRONG(R21_MURPHY_ON_TOP) ? 3 + 7 : 7) : 3;
    return points - cost * t->frustrations[seat];
}

static int winners(const Table *t) /* R22: all who are tied for the highest score, as bits */
{
    int best = score(t, 0), bits = 0;
    for (int seat = 1; seat < t->players; seat++)
        if (score(t, seat) > best)
            best = score(t, seat);
    for (int seat = 0; seat < t->players; seat++)
        if (score(t, seat) == best && !(WRONG(R22_FIRST_OF_TIED) && bits))
            bits |= 1 << seat;
    return bits;
}

/* --------------------------------------------------------------------------------------- what the engine has shown */

/* A position as the engine shows it; compare.py checks that the engine has just these fields, at these places. */
#define FIELDS(F)                                                                                                      \
    F(int8_t, num_players, ) F(int8_t, copies, ) F(int8_t, italian_reading, ) F(int8_t, phase, ) F(int8_t, active, )   \
    F(int8_t, to_act, ) F(int8_t, murphy, ) F(int8_t, target, ) F(int8_t, targets, ) F(int8_t, ravens, )               \
    F(int8_t, reduced, ) F(int8_t, after_reduction, ) F(int8_t, num_frustraters, ) F(int8_t, num_thrown, )             \
    F(int8_t, frustraters, [MAX_PLAYERS - 1]) F(int8_t, last_throw, [DICE]) F(int8_t, middle, [VALUES])                \
    F(int8_t, markers, [MAX_PLAYERS][VALUES]) F(int32_t, frustrations, [MAX_PLAYERS]) F(int32_t, thrown, )             \
    F(int32_t, turn, ) F(int32_t, throws, )

#define MEMBER(type, name, array) type name array;
typedef struct {
    FIELDS(MEMBER)
} Shown;

/* What is compared besides: after every step, and at the end of a game. */
#define RESULTS(F) F(legal_actions) F(scores) F(winning_seats) F(win_rewards) F(score_rewards)

#define FIELD_ENUM(type, name, array) FIELD_##name,
#define RESULT_ENUM(name) FIELD_##name,
enum field { FIELDS(FIELD_ENUM) RESULTS(RESULT_ENUM) NUM_FIELDS };

#define FIELD_NAME(type, name, array) #name,
#define RESULT_NAME(name) #name,
static const char *const field_names[] = {FIELDS(FIELD_NAME) RESULTS(RESULT_NAME)};

#define FIELD_PLACE(type, name, array) {offsetof(Shown, name), sizeof(((Shown *)0)->name)},
static const int32_t field_places[][2] = {FIELDS(FIELD_PLACE)};

static const char *const rare_names[] = {RARE(RESULT_NAME)};

typedef struct {
    int64_t game, step; /* of this call, from 0; step 0 is the start of the game */
    int64_t field, index;
    double engine, model;
} Difference;

static int differ(Difference *d, enum field field, int index, double engine, double model)
{
    d->field = field;
    d->index = index;
    d->engine = engine;
    d->model = model;
    return 1;
}

#define SAME(name, value)                                                                                              \
    if (shown->name != (value))                                                                                        \
        return differ(d, FIELD_##name, 0, shown->name, (value));
#define SAME_ALL(name, theirs, ours) /* arrays: one by one only where they differ at all */                            \
    if (memcmp(shown->name, ours, sizeof shown->name) != 0)                                                            \
        for (int k = 0; k < (int)(sizeof shown->name / sizeof *(theirs)); k++)                                         \
            if ((theirs)[k] != (ours)[k])                                                                              \
                return differ(d, FIELD_##name, k, (theirs)[k], (ours)[k]);

/* Whether the engine shows anything but what lies on this table; then `d` says what. */
static int position_differs(const Table *t, const Shown *shown, Difference *d)
{
    SAME(num_players, t->players)
    SAME(copies, t->copies)
    SAME(italian_reading, t->italian)
    SAME(phase, (int)t->question)
    SAME(active, t->active)
    SAME(to_act, t->asked)
    SAME(murphy, t->murphy)
    SAME(target, t->target == NO_TARGET ? 8 : t->target)
    SAME(targets, targets(t))
    SAME(ravens, ravens(t))
    SAME(reduced, t->reduced)
    SAME(after_reduction, t->repeats_reduced)
    SAME(num_frustraters, t->num_frustraters)
    SAME(num_thrown, t->num_fallen)
    for (int k = 0; k < t->num_frustraters; k++) /* what stands behind them means nothing */
        if (shown->frustraters[k] != t->frustraters[k])
            return differ(d, FIELD_frustraters, k, shown->frustraters[k], t->frustraters[k]);
    SAME_ALL(last_throw, shown->last_throw, t->faces)
    SAME_ALL(middle, shown->middle, t->markers[MIDDLE])
    SAME_ALL(markers, (const int8_t *)shown->markers, (const int8_t *)t->markers)
    SAME_ALL(frustrations, shown->frustrations, t->frustrations)
    SAME(thrown, fallen(t, RAVEN) | fallen(t, 3) << 4 | fallen(t, 4) << 8 | fallen(t, 5) << 12 | fallen(t, 6) << 16 |
                     fallen(t, 7) << 20)
    SAME(turn, t->turns)
    SAME(throws, t->throws)
    return 0;
}

/* The results of a game as the engine has them. */
typedef struct {
    double win_rewards[MAX_PLAYERS], score_rewards[MAX_PLAYERS];
    int32_t scores[MAX_PLAYERS], winners;
} Results;

static int results_differ(Table *t, const Results *results, Difference *d)
{
    int n = t->players, bits = winners(t), sharing = 0, sum = 0;
    for (int seat = 0; seat < n; seat++) {
        sharing += bits >> seat & 1;
        sum += score(t, seat);
    }
    t->rare[tied] += sharing > 1;
    for (int seat = 0; seat < n; seat++)
        if (results->scores[seat] != score(t, seat))
            return differ(d, FIELD_scores, seat, results->scores[seat], score(t, seat));
    if (results->winners != bits)
        return differ(d, FIELD_winning_seats, 0, results->winners, bits);
    for (int seat = 0; seat < n; seat++) {
        /* R22: who is tied shares the win; +1 for a win alone, and all of them add up to nothing. */
        double win = bits >> seat & 1 ? (double)(n - sharing) / (sharing * (n - 1)) : -1.0 / (n - 1);
        if (fabs(results->win_rewards[seat] - win) > 1e-12)
            return differ(d, FIELD_win_rewards, seat, results->win_rewards[seat], win);
        double points = score(t, seat) - (double)(sum - score(t, seat)) / (n - 1);
        if (fabs(results->score_rewards[seat] - points) > 1e-9)
            return differ(d, FIELD_score_rewards, seat, results->score_rewards[seat], points);
    }
    return 0;
}

/* -------------------------------------------------------------------------------------------------- the comparison */

/* A game as it was played. `rows`: positions shown, the first at its start. */
typedef struct {
    int32_t players, copies, italian, first_player, skips_forced, rows;
} Played;

typedef struct {
    int64_t decisions, throws, games, positions;
} Counts;

enum { DICE_FELL = -1 };

static int several(uint32_t bits) { return (bits & (bits - 1)) != 0; }

static int lowest(uint32_t bits)
{
#ifdef __GNUC__
    return __builtin_ctz(bits);
#else
    int action = 0;
    while (!(bits >> action & 1))
        action++;
    return action;
#endif
}

static void play_forced(Table *t)
{
    for (uint32_t bits = legal(t); bits && !several(bits); bits = legal(t))
        act(t, lowest(bits));
}

/* Play games again from their dice and actions alone, and compare every position that the engine has shown.

   steps[k] led to shown[k]: an action, or DICE_FELL for the next row of `dice` (seven, of which the model takes as many
   as it needs). `counts` and `rare` are added to. Returns how many games differ: the first `room` of them, each with
   its first difference, are in `found`. */
int64_t compare(int64_t num_games, const Played *played, const Shown *shown, const int8_t *steps,
                const int32_t *legal_bits, const int8_t (*dice)[DICE], const Results *results,
                Counts counts[MAX_PLAYERS - 1][3][2], int64_t *rare, Difference *found, int64_t room)
{
    Table table;
    Table *t = &table;
    int64_t differences = 0;
    memset(t, 0, sizeof table);
    for (int64_t game = 0; game < num_games; game++, played++) {
        Difference d = {game, 0, 0, 0, 0, 0};
        int differs = 0;
        int64_t decisions = 0, throws = 0, throws_made = 0;
        start_game(t, played->players, played->copies, played->italian, played->first_player);
        for (int64_t k = 0; k < played->rows; k++)
            throws_made += steps[k] == DICE_FELL;
        for (int64_t k = 0; k < played->rows && !differs; k++) {
            if (k > 0) {
                if (steps[k] == DICE_FELL)
                    throw_dice(t, dice[throws++]);
                else
                    act(t, steps[k]);
                if (played->skips_forced)
                    play_forced(t);
            }
            uint32_t bits = legal(t);
            d.step = k;
            differs = position_differs(t, &shown[k], &d);
            if (!differs && bits != (uint32_t)legal_bits[k])
                differs = differ(&d, FIELD_legal_actions, 0, legal_bits[k], bits);
            decisions += several(bits);
        }
        if (!differs)
            differs = results_differ(t, results, &d);
        if (differs && differences++ < room)
            found[differences - 1] = d;
        Counts *c = &counts[played->players - 2][played->copies - 1][played->italian];
        c->decisions += decisions;
        c->throws += throws;
        c->games++;
        c->positions += played->rows;
        shown += played->rows;
        steps += played->rows;
        legal_bits += played->rows;
        dice += throws_made;
        results++;
    }
    for (int k = 0; k < NUM_RARE; k++)
        rare[k] += t->rare[k];
    return differences;
}

/* For compare.py: the layout that it has to check, and names. */
int64_t size_shown(void) { return sizeof(Shown); }
int64_t size_results(void) { return sizeof(Results); }
int64_t num_shown(void) { return sizeof field_places / sizeof field_places[0]; }
int64_t num_rare(void) { return NUM_RARE; }
int64_t field_offset(int64_t field) { return field_places[field][0]; }
int64_t field_size(int64_t field) { return field_places[field][1]; }
const char *field_name(int64_t field) { return field_names[field]; }
const char *rare_name(int64_t event) { return rare_names[event]; }

/* ------------------------------------------------------------------------------------------------- random play */

static uint64_t random_word(uint64_t *state) /* xorshift64*, by Vigna */
{
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 0x2545F4914F6CDD1Du;
}

/* Games of random decisions with dice of the model's own, for its speed alone. Returns the number of decisions. */
int64_t random_play(int64_t num_games, int players, int copies, int italian, uint64_t seed)
{
    static const int8_t face[] = {RAVEN, 3, 4, 5, 6, 7};
    const uint64_t fraction = (1ull << 60) - 1;
    Table table;
    Table *t = &table;
    int64_t decisions = 0;
    uint64_t state = seed * 2 + 1;
    memset(t, 0, sizeof table);
    for (int64_t game = 0; game < num_games; game++) {
        start_game(t, players, copies, italian, (int)((random_word(&state) >> 32) % (uint64_t)players));
        while (t->question != OVER) {
            if (t->question == THROW) {
                int8_t dice[DICE];
                uint64_t rest = random_word(&state) >> 4; /* a fraction of 60 bits, whose digits in base 6 are dice */
                for (int k = 0; k < DICE; k++) {
                    rest *= 6;
                    dice[k] = face[rest >> 60];
                    rest &= fraction;
                }
                throw_dice(t, dice);
                continue;
            }
            if (t->question == REDUCE && !t->answerable) {
                throw_stands(t); /* R18: to ask around would change nothing */
                continue;
            }
            uint32_t bits = legal(t);
            if (several(bits)) {
                int count = 0;
                for (uint32_t left = bits; left; left &= left - 1)
                    count++;
                decisions++;
                for (uint64_t skip = (random_word(&state) >> 32) * (uint64_t)count >> 32; skip > 0; skip--)
                    bits &= bits - 1;
            }
            act(t, lowest(bits));
        }
    }
    return decisions;
}
