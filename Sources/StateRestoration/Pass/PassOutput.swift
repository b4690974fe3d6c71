/// What one pass has to write.
package struct PassOutput: Sendable {
    /// The scene's record.
    package var scene: RecordNumber
    /// The pass's reserved values (P4).
    package var stamp: PassStamp
    /// Whether every object was looked at.
    package var isFull: Bool
    /// Names that the archive does not hold yet.
    package var names: [NumberedName] = []
    /// The records of objects that are new or changed.
    package var objects: [RecordHeader] = []
    /// The records' values, one after the other.
    package var values: [UInt8] = []
    /// Records whose objects are gone, with everything below them.
    package var removals: [RecordNumber] = []
    /// How many objects encoded themselves.
    package var encodedCount = 0
    /// What a person should know of the pass.
    package var diagnostics: [PassDiagnostic] = []

    /// Whether there is nothing to write (P16).
    package var isEmpty: Bool { objects.isEmpty && removals.isEmpty }
}

/// What is recorded of an object beside its values (P13). Names are given by number, 0 being none.
package struct RecordHeader: Sendable, Hashable {
    package var number: RecordNumber
    package var parent: RecordNumber
    package var kind: RestorationKind
    package var identifier: RestorationIdentifier
    package var classToken: UInt32
    package var restorationClassToken: UInt32
    package var storyboard: UInt32
    package var storyboardIdentifier: UInt32
    /// Where the values stand in ``PassOutput/values``.
    package var values: Range<Int>

    package init(
        number: RecordNumber, parent: RecordNumber, kind: RestorationKind,
        identifier: RestorationIdentifier, classToken: UInt32, restorationClassToken: UInt32 = 0,
        storyboard: UInt32 = 0, storyboardIdentifier: UInt32 = 0, values: Range<Int> = 0..<0
    ) {
        self.number = number
        self.parent = parent
        self.kind = kind
        self.identifier = identifier
        self.classToken = classToken
        self.restorationClassToken = restorationClassToken
        self.storyboard = storyboard
        self.storyboardIdentifier = storyboardIdentifier
        self.values = values
    }

    /// Tells this record with these values from another within this process.
    func fingerprint(values bytes: some Collection<UInt8>) -> Int {
        var hasher = Hasher()
        hasher.combine(parent)
        hasher.combine(kind)
        hasher.combine(identifier)
        hasher.combine(classToken)
        hasher.combine(restorationClassToken)
        hasher.combine(storyboard)
        hasher.combine(storyboardIdentifier)
        if bytes.withContiguousStorageIfAvailable({
            hasher.combine(bytes: UnsafeRawBufferPointer($0))
        }) == nil {
            for byte in bytes { hasher.combine(byte) }
        }
        return hasher.finalize()
    }
}

/// Something that a pass could not preserve, and why.
package enum PassDiagnostic: Sendable, Equatable, CustomStringConvertible {
    /// Two live siblings have one identifier; the first named keeps the path (I3).
    case equalSiblings(path: RestorationPath, kept: String, leftOut: String)
    /// The path is longer than ``RestorationPath/maximumBytes`` (I2).
    case pathTooLong(path: RestorationPath, bytes: Int)
    /// The object threw, and keeps its last record (P9).
    case encodeFailed(path: RestorationPath, reason: String)
    /// A value was left out (P9).
    case value(StateEncodingError)
    /// A value was saved, and is large (P9).
    case largeValue(StateSizeWarning)

    package var description: String {
        switch self {
        case .equalSiblings(let path, let kept, let leftOut):
            "two objects are \(path): \(kept) is preserved, \(leftOut) is not; give it another identifier"
        case .pathTooLong(let path, let bytes):
            "an object whose path has \(bytes) bytes is not preserved: at most "
                + "\(RestorationPath.maximumBytes) are allowed (it begins \(path.components[0]))"
        case .encodeFailed(let path, let reason):
            "\(path) could not encode its state and keeps what was saved last: \(reason)"
        case .value(let error): error.description
        case .largeValue(let warning): warning.description
        }
    }
}
