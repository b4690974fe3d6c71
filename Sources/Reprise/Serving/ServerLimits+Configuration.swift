import RepriseControl
import Varlink

extension ServerLimits {
    /// Takes what a configuration says of connections and requests.
    mutating func take(_ control: Configuration.Control) {
        connectionsPerUser = control.connectionsPerUser
        requestBytes = control.requestBytes
        do {
            requestTooLarge = try ControlError.requestTooLarge(maximumBytes: requestBytes)
                .varlinkError()
        } catch {
            requestTooLarge = nil  // Then the connection is closed without a reply.
        }
    }
}
