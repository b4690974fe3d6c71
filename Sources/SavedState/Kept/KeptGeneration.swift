/// A generation: an archive that was kept from an earlier time.
package struct KeptGeneration: Sendable, Equatable {
    /// Its name, which is its number.
    package var name: GenerationName
    /// Its path.
    package var path: String
    /// Why it was made, as a clause; nil if that is not known.
    package var reason: String?
    /// When it was made, going by the file with the reason, or by its own: microseconds since 1970, UTC.
    package var time: Int64
    /// How many bytes it has.
    package var byteCount: Int
}
