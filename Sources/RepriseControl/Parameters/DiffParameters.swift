/// Names two generations of an application.
package struct DiffParameters: Codable, Sendable {
    package var application: String?
    package var from: String
    /// Nil: what is saved now.
    package var to: String?

    package init(application: String?, from: String, to: String?) {
        self.application = application
        self.from = from
        self.to = to
    }
}
