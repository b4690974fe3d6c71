/// What the decoders of one launch have in common.
package final class StateDecoderSource {
    let names: NameTable
    let stamp: PassStamp
    let scene: Scene?
    /// The path of a record; asked for by error sentences alone.
    let path: (RecordNumber) -> String
    /// The object that a record was restored as; nil: it was not.
    let object: (RecordNumber) -> (any StateRestoring)?

    /// - Parameters:
    ///   - names: the archive's names.
    ///   - stamp: the reserved values of the pass that saved what is decoded (P4).
    ///   - scene: the scene that is restored.
    ///   - path: the path of a record; asked for by error sentences alone.
    ///   - object: the object that a record was restored as; nil: it was not.
    package init(
        names: NameTable, stamp: PassStamp, scene: Scene? = nil,
        path: @escaping (RecordNumber) -> String,
        object: @escaping (RecordNumber) -> (any StateRestoring)?
    ) {
        self.names = names
        self.stamp = stamp
        self.scene = scene
        self.path = path
        self.object = object
    }
}
