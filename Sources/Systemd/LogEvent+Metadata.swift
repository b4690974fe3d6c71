package import Logging

extension LogEvent {
    /// All metadata that goes with this event, by rising precedence: the handler's, the provider's,
    /// the event's, and the event's error as `error.message` and `error.type`.
    package func metadata(
        over handler: Logger.Metadata, provider: Logger.MetadataProvider?
    ) -> Logger.Metadata {
        var all = handler
        if let provider { all.merge(provider.get()) { $1 } }
        if let metadata { all.merge(metadata) { $1 } }
        if let error {
            all["error.message"] = "\(error)"
            all["error.type"] = "\(String(reflecting: type(of: error)))"
        }
        return all
    }
}
