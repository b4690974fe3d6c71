/// What a data source told a list while it was asked to change the model.
struct DataSourceAnswer {
    /// It told what came, went or moved.
    var wasTold = false
    /// It said that everything may have changed.
    var wasReloaded = false
}
