import ExactText

/// Call that returns a copy of the saved state and the documents, in several replies.
package struct BackupCall: ControlCall {
    /// Maximum number of bytes of a file in one reply.
    package static let chunkBytes = 48 << 10

    /// Bundle identifier of the application, or `nil` for all applications.
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
        /// Bytes of the part, encoded as base64.
        package var data = ""
        /// Whether the backup omits the entry at the path because it is not a document, such as a directory among the
        /// documents.
        package var isLeftOut: Bool?
        /// Applications that run on other hosts of the cluster and are not in the backup. Only the last reply
        /// contains them.
        package var elsewhere: [MovedApplication]?

        package init() {}
    }
}
