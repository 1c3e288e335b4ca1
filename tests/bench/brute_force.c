/* Counts every hand of seven cards by its Fortune line: one hand after the other, no classes.
 *
 * The yardstick for counting by classes, and a third program that must find the same numbers.
 * Written from the rule sheets; shares nothing with firmware_app/rules.
 */
#include <stdint.h>
#include <string.h>

enum { SEVEN, ROYAL_MATCH, SEVEN_JOKER, FIVE_ACES, ROYAL, STRAIGHT_FLUSH, FOUR, FULL_HOUSE, FLUSH,
       THREE, STRAIGHT, NONE };

#define ONES 0x1111111111111ULL
#define KING_QUEEN 0x0c00

/* What ranks of one suit or of all, with joker [1] or without [0], can make; ace is bit 12. */
static uint8_t run5[2][8192], run7[2][8192], royal[2][8192];

static void fill(void) {
    for (int joker = 0; joker < 2; joker++)
        for (int ranks = 0; ranks < 8192; ranks++) {
            int both_ends = ranks << 1 | ranks >> 12;
            for (int low = 0; low < 10; low++)
                if (__builtin_popcount(both_ends >> low & 31) + joker >= 5) {
                    run5[joker][ranks] = 1;
                    if (low == 9) royal[joker][ranks] = 1;
                }
            for (int low = 0; low < 8; low++)
                if (__builtin_popcount(both_ends >> low & 127) + joker >= 7) run7[joker][ranks] = 1;
        }
}

/* suits: 16 bits of ranks for each suit; counts: 4 bits for each rank, the joker with the aces. */
static inline int line_of(uint64_t suits, uint64_t counts, int joker) {
    int ranks = 0, best = NONE;
    for (int suit = 0; suit < 4; suit++) {
        int held = suits >> 16 * suit & 8191;
        ranks |= held;
        if (__builtin_popcount(held) + joker < 5) continue;
        best = FLUSH;
        if (run5[joker][held]) best = STRAIGHT_FLUSH;
        if (royal[joker][held]) {
            best = ROYAL;
            for (int other = 0; other < 4; other++)
                if ((suits >> 16 * other & 8191) == KING_QUEEN) best = ROYAL_MATCH;
        }
        if (run7[joker][held] && best != ROYAL_MATCH) best = joker ? SEVEN_JOKER : SEVEN;
    }
    int grouped = NONE;
    if (counts & ONES << 2)
        grouped = (counts >> 48 & 15) == 5 ? FIVE_ACES : FOUR;
    else {
        uint64_t pairs = counts >> 1 & ONES;
        if (counts & pairs) grouped = __builtin_popcountll(pairs) > 1 ? FULL_HOUSE : THREE;
        else if (run5[joker][ranks]) grouped = STRAIGHT;
    }
    return best < grouped ? best : grouped;
}

void count_all_hands(int64_t lines[12]) {
    uint64_t suits[8] = {0}, counts[8] = {0};
    int card[8];
    fill();
    memset(lines, 0, 12 * sizeof *lines);
    card[0] = -1;
    int depth = 1;
    card[1] = 0;
    /* Cards 0 to 51 by suit and rank, 52 the joker; card[1] < card[2] < ... < card[7]. */
    while (depth > 0) {
        if (card[depth] > 52 - (7 - depth)) {
            depth--;
            card[depth]++;
            continue;
        }
        int joker = card[depth] == 52;
        int rank = joker ? 12 : card[depth] % 13;
        uint64_t now_suits = suits[depth - 1] | (joker ? 0 : 1ULL << (16 * (card[depth] / 13) + rank));
        uint64_t now_counts = counts[depth - 1] + (1ULL << 4 * rank);
        if (depth == 7) {
            lines[line_of(now_suits, now_counts, joker)]++;
            card[7]++;
        } else {
            suits[depth] = now_suits;
            counts[depth] = now_counts;
            depth++;
            card[depth] = card[depth - 1] + 1;
        }
    }
}
