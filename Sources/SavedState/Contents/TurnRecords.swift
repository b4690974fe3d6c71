package import StateRecords

/// Records that a turn writes, grouped into passes.
///
/// The archive checks each pass when the turn is appended. By the end of the pass, every parent and name to which the
/// pass refers must exist. An object whose header the pass replaces must already be in the archive or be added by the
/// pass. Removals are applied last.
package struct TurnRecords: Sendable, Equatable {
    /// Passes that have been completed.
    package private(set) var passes: [PassRecords] = []
    /// Pass that has not been completed yet.
    package private(set) var currentPass = PassRecords()

    /// Creates a turn that writes nothing.
    package init() {}

    /// Whether the turn writes nothing (P16).
    package var isEmpty: Bool { passes.isEmpty && currentPass.isEmpty }

    /// Adds a complete pass.
    package mutating func add(_ pass: PassRecords) { passes.append(pass) }

    /// Adds a name. Its number must not be in use in the archive yet.
    package mutating func addName(_ text: String, number: UInt32) {
        currentPass.names.append((number, text))
    }

    /// Adds an object's newest state. The bytes are copied.
    package mutating func addObject(_ header: ObjectHeader, values: some Sequence<UInt8>) {
        addObject(ObjectRecord(header: header, values: Array(values)[...]))
    }

    /// Adds an object's newest state. The bytes are copied.
    package mutating func addObject(_ record: ObjectRecord) { currentPass.add(record) }

    /// Replaces the header of an object that is in the archive or was added by this pass.
    ///
    /// The values do not change.
    package mutating func addPlacement(_ header: ObjectHeader) {
        currentPass.placements.append(header)
    }

    /// Removes an object and all its descendants.
    package mutating func addRemoval(_ number: UInt32) { currentPass.removals.append(number) }

    /// Completes the current pass.
    package mutating func endPass(_ end: PassEnd) {
        currentPass.end = end
        passes.append(currentPass)
        currentPass = PassRecords()
    }
}
