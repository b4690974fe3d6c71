package import Logging

extension Logger.Level {
    /// The level as a syslog priority, 0 to 7 (`syslog(3)`): 2 critical to 7 debug.
    package var syslogPriority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
