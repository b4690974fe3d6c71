/// One record of an archive; its bytes are described in `docs/Archive.md`.
package enum ArchiveRecord: Sendable, Equatable {
    /// Gives a name its number, once and for all.
    case name(number: UInt32, text: String)
    /// The newest state of an object; replaces an earlier record of that number.
    case object(ObjectRecord)
    /// Another header for an object that is known already; its values stay.
    case placement(ObjectHeader)
    /// The object of that number and everything below it are gone; an unknown number is ignored.
    case removal(number: UInt32)
    /// Ends a pass: what came since the one before counts only from here on.
    case passEnd(PassEnd)
    /// The application ended in an orderly way, with nothing left to save.
    case closed
    /// The application was launched from this archive.
    case opened
}
