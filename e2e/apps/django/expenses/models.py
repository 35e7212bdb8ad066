import os

from django.contrib import admin
from django.db import models


class Expense(models.Model):
    title = models.CharField(max_length=200, unique="UNIQUE" in os.environ)
    note = models.CharField(max_length=200, blank=True)

    def __str__(self):
        return self.title


admin.site.register(Expense)
