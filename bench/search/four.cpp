// bots/engine/kernels/four.py once more, as one writes it in C++: the peer of `plyhouse bench four`.
// The same positions are looked at in the same order, so the counts of nodes must agree.

#include <algorithm>
#include <cstdint>

namespace {

using Cells = std::int64_t;

constexpr Cells SLOTS = 4194301;
constexpr Cells BOTTOM = 0x40810204081;
constexpr Cells BOARD = BOTTOM * 077;
constexpr Cells ODD_ROWS = BOTTOM * 025;
constexpr Cells EVEN_ROWS = BOTTOM * 052;
constexpr int MIDDLE_FIRST[] = {3, 2, 4, 1, 5, 0, 6};
constexpr int LOOK_UP = 24;

struct Move {
    Cells cell, wins;
    int rating;
};

bool has_four(Cells stones) {
    const Cells up = stones & stones >> 1, right = stones & stones >> 7;
    const Cells rising = stones & stones >> 8, falling = stones & stones >> 6;
    return (up & up >> 2) | (right & right >> 14) | (rising & rising >> 16) |
           (falling & falling >> 12);
}

Cells winning(Cells stones, Cells taken) {
    Cells cells = stones << 1 & stones << 2 & stones << 3;
    for (const int step : {7, 8, 6}) {
        const Cells left = stones << step & stones << 2 * step;
        const Cells right = stones >> step & stones >> 2 * step;
        cells |= left & (stones << 3 * step | stones >> step);
        cells |= right & (stones >> 3 * step | stones << step);
    }
    return cells & (BOARD ^ taken);
}

int held(Cells mine, Cells taken) {
    if ((taken + BOTTOM) & EVEN_ROWS & BOARD) return 21;
    const Cells open = BOARD ^ taken;
    if (has_four(mine | (open & ODD_ROWS))) return 21;
    return has_four((mine ^ taken) | (open & EVEN_ROWS)) ? -1 : 0;
}

struct Search {
    Cells *table;
    Cells left;

    bool above(Cells mine, Cells taken, Cells danger, int ply, int a) {
        if (--left < 0) return false;

        Cells cells = (taken + BOTTOM) & BOARD;
        const Cells forced = cells & danger;
        if (forced) {
            if (forced & (forced - 1)) return a < (ply + 1) / 2 - 21;
            cells = forced;
        }
        cells &= ~(danger >> 1);
        if (!cells) return a < (ply + 1) / 2 - 21;
        if (ply >= 40) return a < 0;
        if (a < (ply + 3) / 2 - 21) return true;
        if (a >= 20 - ply / 2) return false;
        if (ply % 2 == 0 && a >= -1 && held(mine, taken) <= a) return false;

        const Cells key = mine + taken + BOTTOM;
        Cells &slot = table[key % SLOTS];
        int lower = 0, upper = 42;
        if (slot >> 12 == key) {
            lower = slot & 63;
            upper = slot >> 6 & 63;
            if (lower - 21 > a) return true;
            if (upper - 21 <= a) return false;
        }

        const Cells other = mine ^ taken;
        Move moves[7];
        int n = 0;
        for (const int column : MIDDLE_FIRST) {
            const Cells cell = cells & Cells{077} << 7 * column;
            if (!cell) continue;
            const Cells after = taken | cell;
            __builtin_prefetch(table + (other + after + BOTTOM) % SLOTS);
            const Cells wins = winning(mine | cell, after);
            const Cells ready = wins & (after + BOTTOM);
            if (ready & (ready - 1) || ready & wins >> 1) return true;
            const int rating = __builtin_popcountll(wins);
            int i = n++;
            for (; i > 0 && moves[i - 1].rating < rating; --i) moves[i] = moves[i - 1];
            moves[i] = {cell, wins, rating};
        }

        if (ply < LOOK_UP) {
            int kept = 0;
            for (int i = 0; i < n; ++i) {
                const Cells below = other + (taken | moves[i].cell) + BOTTOM;
                const Cells entry = table[below % SLOTS];
                if (entry >> 12 == below) {
                    if ((entry >> 6 & 63) - 21 < -a) {
                        slot = key << 12 | upper << 6 | (a + 22);
                        return true;
                    }
                    if ((entry & 63) - 21 >= -a) continue;
                }
                moves[kept++] = moves[i];
            }
            n = kept;
        }

        for (int i = 0; i < n; ++i) {
            const bool fails = above(other, taken | moves[i].cell, moves[i].wins, ply + 1, -a - 1);
            if (left < 0) return false;
            if (!fails) {
                slot = key << 12 | upper << 6 | (a + 22);
                return true;
            }
        }
        slot = key << 12 | Cells{a + 21} << 6 | lower;
        return false;
    }
};

}  // namespace

extern "C" int above(Cells mine, Cells taken, Cells danger, int ply, int a, Cells *table,
                     Cells *left) {
    Search search{table, *left};
    const bool is_above = search.above(mine, taken, danger, ply, a);
    *left = search.left;
    return is_above;
}
