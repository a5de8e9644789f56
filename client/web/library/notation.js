/* How a match is called on the wire: "17.2" is the second match of room 17. */

/** The number of a match's room.
 *  @param {string} match */
export const roomOf = (match) => Number(match.split(".")[0]);
