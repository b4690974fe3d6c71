import ExactText

/// Model data of an application across its launches, and the outcome of writing it (P19).
struct ModelSaver {
    private let documents: DocumentsFolder?
    /// Model data of the current launch, retained after the launch while it has unsaved changes.
    private var model: (any ApplicationModel)?
    /// Error of the last attempt to write the model data, or `nil` if it succeeded.
    private(set) var failure: String?

    /// - Parameter documents: Directory of the application's model data, or `nil` if it has none.
    init(documents: DocumentsFolder?) { self.documents = documents }

    /// Returns the model data for a launch.
    ///
    /// The model data is created again, unless the previous model data has changes that could not be written.
    mutating func loadModel(
        _ make: (@Sendable (DocumentsFolder) throws -> any ApplicationModel)?
    ) throws -> (any ApplicationModel)? {
        if failure == nil { model = try documents.flatMap { try make?($0) } }
        return model
    }

    /// Whether the model data has changes that are not written.
    var hasChanges: Bool { model?.hasChanges ?? false }

    /// Writes the changes of the model data, and sets or clears ``failure``.
    mutating func saveChanges() {
        do {
            try model?.saveChanges()
            failure = nil
        } catch {
            failure = "the model data could not be written: \(error)"
        }
    }

    /// Discards the model data, including changes that could not be written.
    mutating func forget() {
        model = nil
        failure = nil
    }

    /// Releases the model data after its last use, unless it has changes that could not be written.
    mutating func release() {
        if failure == nil { model = nil }
    }
}
