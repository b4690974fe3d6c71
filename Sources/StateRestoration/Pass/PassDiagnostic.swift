import ExactText

/// A problem that a pass found, such as state that it could not preserve.
package enum PassDiagnostic: Sendable, Equatable, CustomStringConvertible {
    /// Two live siblings have the same identifier, so only one of them is preserved (I3).
    case siblingsWithSameIdentifier(
        path: RestorationPath, preservedClass: String, omittedClass: String)
    /// The path is longer than ``RestorationPath/maximumBytes`` (I2).
    case pathTooLong(path: RestorationPath, bytes: Int)
    /// The object threw an error, and its last record is retained (P9).
    case encodeFailed(path: RestorationPath, reason: String)
    /// A value could not be saved (P9).
    case value(StateEncodingError)
    /// A value was saved, but exceeds the warning size (P9).
    case largeValue(objectPath: String, key: String, bytes: Int)
    /// Each time the pass listed the objects below an object, the list was different.
    ///
    /// Either the objects change during the pass, or objects with equal identifiers refer to each other, so that a
    /// different one is preserved each time.
    case childrenKeepChanging(path: RestorationPath)
    /// The object's restoration class is not registered, so no launch can find it (R5).
    case restorationClassUnregistered(path: RestorationPath, name: String)
    /// The object's values changed without an invalidation (P20).
    ///
    /// The change would have been lost if the process had ended before this pass. The list of keys is empty if the
    /// changed values are unknown.
    case notInvalidated(path: RestorationPath, keys: [String])
    /// Unclaimed records were removed together with the object above them (R16).
    case unclaimedRemoved(path: RestorationPath, identifiers: [RestorationIdentifier])

    package var description: String {
        switch self {
        case .siblingsWithSameIdentifier(let path, let preservedClass, let omittedClass):
            "two objects have the path \(path): \(preservedClass) is preserved, \(omittedClass) is not; "
                + "give it another identifier"
        case .pathTooLong(let path, let bytes):
            "an object whose path has \(bytes) bytes is not preserved: at most "
                + "\(RestorationPath.maximumBytes) are allowed (the path begins with \(path.components[0]))"
        case .encodeFailed(let path, let reason):
            "\(path) could not encode its state, and its last saved state is retained: \(reason)"
        case .value(let error): error.description
        case .largeValue(let objectPath, let key, let bytes):
            "\(objectPath): \"\(key)\" takes \(bytes) bytes, all of which are written whenever it changes: store large data "
                + "in the elements of a collection, or in a document"
        case .childrenKeepChanging(let path):
            "objects below \(path.components.isEmpty ? "the scene" : "\(path)") could not be saved consistently: "
                + "they change while they are being saved, or some have equal identifiers and refer "
                + "to each other; give them different identifiers"
        case .restorationClassUnregistered(let path, let name):
            "the restoration class \(name) of \(path) is not registered, and will not be found at the "
                + "next launch: register it in the application's class registry"
        case .notInvalidated(let path, let keys):
            "\(path) changed"
                + (keys.isEmpty ? "" : " \(keys.map { "\"\($0)\"" }.joined(separator: ", "))")
                + " without having been invalidated, and the change was found and saved only now: call "
                + "invalidateRestorableState() where the object changes"
        case .unclaimedRemoved(let path, let identifiers):
            "the removal of \(path) also removed objects below it that no launch had restored: "
                + identifiers.map(\.text).sorted().joined(separator: ", ")
        }
    }

    /// Restoration path of the object whose state was not completely saved (P9), or `nil` if the problem is not a loss
    /// of state.
    package var incompletelySavedPath: String? {
        switch self {
        case .value(let error): error.objectPath
        case .encodeFailed(let path, _): path.description
        default: nil
        }
    }

    /// Whether state that an object encoded is missing from its record (P9).
    package var isLoss: Bool {
        switch self {
        case .value, .encodeFailed: true
        case .siblingsWithSameIdentifier, .pathTooLong, .largeValue, .childrenKeepChanging,
            .restorationClassUnregistered,
            .notInvalidated, .unclaimedRemoved:
            false
        }
    }
}
