import ExactText

/// The model data of an application, from one launch to the next, and whether it is written (P19).
struct ModelSaver {
    private let documents: DocumentsFolder?
    /// The model data of the launch; kept after it for as long as it is not saved.
    private var model: (any ApplicationModel)?
    /// Reason the last attempt to write it failed, if it did.
    private(set) var failure: String?

    /// - Parameter documents: where the application keeps its model data; nil: it has none.
    init(documents: DocumentsFolder?) { self.documents = documents }

    /// The model data for a launch: a new one, unless the one before has something that it could
    /// not write.
    mutating func take(
        _ make: (@Sendable (DocumentsFolder) throws -> any ApplicationModel)?
    ) throws -> (any ApplicationModel)? {
        if failure == nil { model = try documents.flatMap { try make?($0) } }
        return model
    }

    /// Whether something changed that is not written.
    var hasChanges: Bool { model?.hasChanges ?? false }

    /// Writes what changed; ``failure`` tells whether it could.
    mutating func saveChanges() {
        do {
            try model?.saveChanges()
            failure = nil
        } catch {
            failure = "the model data could not be written: \(error)"
        }
    }

    /// What it could not write does not count any more.
    mutating func forget() {
        model = nil
        failure = nil
    }

    /// Nobody uses it any more; it goes, unless it is not written yet.
    mutating func release() {
        if failure == nil { model = nil }
    }
}
