import ExactText

/// Call for a copy of the saved state and the documents, with several replies.
package struct BackupCall: ControlCall {
    /// Maximum number of bytes of a file in one reply.
    package static let chunkBytes = 48 << 10

    /// Bundle identifier of the application, or `nil` for all.
    package var application: String?

    package init() {}

    /// Part of a file. The last reply has no path.
    package struct Reply: ControlMessage {
        /// Path of the file below the state directory.
        package var path: String?
        /// Size of the file in bytes.
        package var bytes = 0
        /// Offset of the part in the file, in bytes.
        package var offset = 0
        /// Bytes of the part in base64.
        package var data = ""
        /// Whether the entry at the path is not a document and not in the backup, such as a directory among the
        /// documents.
        package var isLeftOut: Bool?
        /// Applications that other hosts of the cluster run and that are not in the backup, in the last reply.
        package var elsewhere: [MovedApplication]?

        package init() {}
    }
}
