import ExactText
package import StateRecords

/// The records that one pass has to write, and its account.
package struct PassOutput: Sendable {
    /// The names and records to write, and those to remove.
    package var records = PassRecords()
    /// The pass's reserved values (P4).
    package var stamp: PassStamp
    /// Whether every object was looked at.
    package var isFull: Bool
    /// How many objects encoded themselves.
    package var encodedCount = 0
    /// How many of them had changed and were not invalidated (P20).
    package var unmarkedCount = 0
    /// Problems of the pass that a person should know of.
    package var diagnostics: [PassDiagnostic] = []

    /// A pass that has nothing to write so far.
    package init(stamp: PassStamp, isFull: Bool) {
        self.stamp = stamp
        self.isFull = isFull
    }

    /// Whether there is nothing to write (P16).
    package var isEmpty: Bool { records.isEmpty }
}

/// Something that a pass could not preserve, and why.
package enum PassDiagnostic: Sendable, Equatable, CustomStringConvertible {
    /// Two live siblings have one identifier; the first named keeps the path (I3).
    case equalSiblings(path: RestorationPath, kept: String, leftOut: String)
    /// The path is longer than ``RestorationPath/maximumBytes`` (I2).
    case pathTooLong(path: RestorationPath, bytes: Int)
    /// The object threw, and keeps its last record (P9).
    case encodeFailed(path: RestorationPath, reason: String)
    /// A value could not be saved (P9).
    case value(StateEncodingError)
    /// A value was saved, and is so large that somebody should know (P9).
    case largeValue(object: String, key: String, bytes: Int)
    /// The objects below the object changed with every look at them: they change while they are
    /// looked at, or objects of equal identifiers keep each other in and out.
    case unsettled(path: RestorationPath)
    /// The object's restoration class is not registered, so no launch will find it (R5).
    case restorationClassUnregistered(path: RestorationPath, name: String)
    /// Values of the object changed, and it was not invalidated: what was found later would have
    /// been lost with the process until then (P20). The keys are empty if they are not known.
    case notInvalidated(path: RestorationPath, keys: [String])
    /// Records that no launch could place went with an object that they stood below (R16).
    case unclaimedRemoved(path: RestorationPath, identifiers: [RestorationIdentifier])

    package var description: String {
        switch self {
        case .equalSiblings(let path, let kept, let leftOut):
            "two objects have the path \(path): \(kept) is preserved, \(leftOut) is not; give it "
                + "another identifier"
        case .pathTooLong(let path, let bytes):
            "an object whose path has \(bytes) bytes is not preserved: at most "
                + "\(RestorationPath.maximumBytes) are allowed (it begins \(path.components[0]))"
        case .encodeFailed(let path, let reason):
            "\(path) could not encode its state, and its last saved state stays: \(reason)"
        case .value(let error): error.description
        case .largeValue(let object, let key, let bytes):
            "\(object): \"\(key)\" takes \(bytes) bytes: store model data elsewhere"
        case .unsettled(let path):
            "objects below \(path.components.isEmpty ? "the scene" : "\(path)") could not be settled: "
                + "they change while they are preserved, or some have equal identifiers and refer "
                + "to each other; give them different identifiers"
        case .restorationClassUnregistered(let path, let name):
            "the restoration class \(name) of \(path) is not registered, and will not be found at the "
                + "next launch: register it in the application's class registry"
        case .notInvalidated(let path, let keys):
            "\(path) changed"
                + (keys.isEmpty ? "" : " \(keys.map { "\"\($0)\"" }.joined(separator: ", "))")
                + " without having been invalidated, which was found and saved only now: call "
                + "invalidateRestorableState() where it changes"
        case .unclaimedRemoved(let path, let identifiers):
            "the removal of \(path) also removed objects below it that no launch could place: "
                + identifiers.map(\.text).sorted().joined(separator: ", ")
        }
    }

    /// The restoration path of the object that did not save something, or all, of its state (P9);
    /// nil: it is none of these.
    package var lossPath: String? {
        switch self {
        case .value(let error): error.object
        case .encodeFailed(let path, _): path.description
        default: nil
        }
    }

    /// Whether something that an object encoded, or all of it, is not in its record (P9).
    package var isLoss: Bool {
        switch self {
        case .value, .encodeFailed: true
        case .equalSiblings, .pathTooLong, .largeValue, .unsettled, .restorationClassUnregistered,
            .notInvalidated, .unclaimedRemoved:
            false
        }
    }
}

extension StateEncoder {
    /// Whether there is something to tell of the values of the object begun last.
    var hasDiagnostics: Bool { !problems.isEmpty || !warnings.isEmpty }

    /// The diagnostics of the object begun last.
    ///
    /// - Parameter object: its path, asked for only if there is something.
    package func diagnostics(of object: () -> String) -> [PassDiagnostic] {
        guard hasDiagnostics else { return [] }
        let object = object()
        return problems.map {
            .value(
                StateEncodingError(
                    object: object, key: $0.key, cause: $0.cause,
                    keepsEarlierValue: $0.keepsEarlierValue))
        }
            + warnings.map { .largeValue(object: object, key: $0.key, bytes: $0.bytes) }
    }
}
