/// One record of an archive; its bytes are described in `docs/Archive.md`.
package enum ArchiveRecord: Sendable, Equatable {
    /// Gives a name its number, once and for all.
    indirect case name(number: UInt32, text: String)
    /// The newest state of an object; replaces an earlier record of that number. Of the out-of-line
    /// values only the keys: each keeps its value unless it gets another in the same pass.
    case object(ObjectRecord)
    /// Another header for an object that is known already; its values stay.
    indirect case placement(ObjectHeader)
    /// A large value of an object.
    indirect case value(object: UInt32, OutOfLineValue)
    /// Another part of an object's values; the rest of them stays.
    indirect case patch(ValuesPatch)
    /// The object of that number and everything below it are gone; an unknown number is ignored.
    case removal(number: UInt32)
    /// Nothing: for a pass that has no other record to end with.
    case nothing
    /// The application ended in an orderly way, with nothing left to save.
    case closed
    /// The application was launched from this archive.
    case opened
}

/// A record, and whether it ends a pass.
struct ArchiveEntry: Sendable, Equatable {
    var record: ArchiveRecord
    /// Set in the last record of a pass, and in `closed`.
    var end: PassEnd?

    init(_ record: ArchiveRecord, end: PassEnd? = nil) {
        self.record = record
        self.end = end
    }
}
