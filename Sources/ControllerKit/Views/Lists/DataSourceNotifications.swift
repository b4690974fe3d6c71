/// The notifications that a list receives while its data source changes the model.
struct DataSourceNotifications {
    /// Whether the data source has notified the list of inserted, deleted or moved elements.
    var wasNotified = false
    /// Whether the data source has asked the list to reload all elements.
    var wasReloadRequested = false
}
