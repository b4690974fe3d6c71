public import Reprise

/// The sample applications that are included in Reprise.
public enum SampleApplications {
    /// All sample applications.
    public static let all: [HostedApplication] = [
        .childViews, .stateRestore, .homepwner, .scrapbook,
    ]
}
